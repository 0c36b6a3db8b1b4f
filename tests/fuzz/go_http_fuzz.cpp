// Reads an HTTP request from any values that a probe on a Go program may deliver: numbers, texts,
// and addresses of types. The program has the types of the errors and writers of net/http.
#include <algorithm>
#include <cstring>

#include "require.h"
#include "wire/request.h"

using namespace uscope;

namespace {

constexpr std::string_view names[] = {"*net.OpError",        "*net.DNSError",
                                      "*os.SyscallError",    "tls.alert",
                                      "*tls.permanentError", "*tls.CertificateVerificationError",
                                      "x509.HostnameError",  "http.transportReadFromServerError",
                                      "http2.StreamError",   "http.http2GoAwayError",
                                      "*http.response",      "*http2.responseWriter",
                                      "*errors.errorString"};
constexpr size_t type_bytes = 64;  // a type (common/go/types.h) and its name take twice as much

std::string described_types()
{
    std::string types;
    for (std::string_view name : names) {
        std::string type(44, '\0');
        uint32_t name_at = uint32_t(types.size() + type.size());
        memcpy(type.data() + 40, &name_at, sizeof(name_at));
        type += '\1';
        type += char(name.size());
        type += name;
        type.resize(2 * type_bytes);
        types += type;
    }
    return types;
}

// Returns the next value of the data: a byte for its kind, then the index in `names` of a type, a
// number, or a text's length and bytes.
output::Value take(Bytes &data)
{
    output::Value value = {.kind = output::Value::Kind::Integer};
    uint8_t kind = data.read<uint8_t>(0).value_or(0), next = data.read<uint8_t>(1).value_or(0);
    size_t used = 2;
    if (kind % 4 == 0) {
        value.integer = int64_t(next % std::size(names) * 2 * type_bytes) + 0x1000;
    } else if (kind % 4 == 1) {
        value.integer = data.read<int64_t>(1).value_or(next);
        used = 9;
    } else {
        used += next;
        value.kind = output::Value::Kind::Text;
        value.text = data.slice(2, next).value_or(Bytes()).text();
        value.truncated = kind & 4;
    }
    data = data.from(std::min(used, data.size()));
    return value;
}

bool is_printable(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const std::string described = described_types();
    go::TypeNames types({.vaddr = 0x1000, .bytes = Bytes(described)});
    Bytes rest(data, size);
    auto side = size % 2 ? wire::Side::Client : wire::Side::Server;
    std::vector<output::Value> values(size % 2 ? wire::http_field::ClientFields
                                               : wire::http_field::ServerFields);
    for (output::Value &value : values)
        value = take(rest);
    values[wire::http_field::EntryAddress] = {.kind = output::Value::Kind::Integer,
                                              .integer = 0x1000};  // in the file and in memory
    wire::Request request = wire::read_request(side, values, types, {0x1000, 0x2000});
    require(!request.method.empty());
    require(!request.status || (*request.status >= 100 && *request.status <= 999));
    require(!request.bytes || *request.bytes >= 0);
    std::string_view text = values[wire::http_field::Path].text;
    require(is_printable(wire::encoded_path(text)));
    require(is_printable(wire::sent_path(text, values[wire::http_field::RawPath].text)));
    return 0;
}
