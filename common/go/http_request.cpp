#include "go/http_request.h"

#include "go/http_error.h"

namespace uscope::go {
namespace {

namespace field = http_field;
using output::Value;

std::optional<int64_t> number(const Value &value)
{
    if (value.kind != Value::Kind::Integer)
        return std::nullopt;
    return value.integer;
}

// Text that the programs could not read is empty, for parts that an URL need not have.
std::string text(const Value &value)
{
    if (value.kind != Value::Kind::Text)
        return "";
    return std::string(value.text) + (value.truncated ? "..." : "");
}

// Is it what net/http can have sent? Else the layout is not what we think.
std::optional<int64_t> checked_status(std::optional<int64_t> status)
{
    return status && *status >= 100 && *status <= 999 ? status : std::nullopt;
}

void read_client(TypeNames &types, const std::vector<Value> &values, uint64_t bias,
                 HttpRequest &request)
{
    auto type = [&](size_t index) -> std::string {
        auto address = number(values[index]);
        return address ? types.name(*address - bias) : "";
    };
    if (!number(values[field::Type])) {
        request.status = checked_status(number(values[field::Status]));
        auto bytes = number(values[field::Bytes]);
        if (bytes && *bytes >= 0)
            request.bytes = bytes;
        return;
    }
    request.error = http_error_text({.type = type(field::Type),
                                     .text = values[field::Text].text,
                                     .second_text = values[field::SecondText].text,
                                     .inner_type = type(field::InnerType),
                                     .inner_text = values[field::InnerText].text,
                                     .inner_number = number(values[field::InnerNumber]),
                                     .only_type = type(field::OnlyType),
                                     .only_text = values[field::OnlyText].text});
}

void read_server(TypeNames &types, const std::vector<Value> &values, uint64_t bias,
                 HttpRequest &request)
{
    auto address = number(values[field::Type]);
    std::string type = address ? types.name(*address - bias) : "";
    bool is_http2 = type == "*http.http2responseWriter";
    if (!is_http2 && type != "*http.response")
        return;
    auto status = number(values[is_http2 ? size_t{field::Http2Status} : size_t{field::Status}]);
    auto bytes = number(values[is_http2 ? size_t{field::Http2Bytes} : size_t{field::Bytes}]);
    if (bytes && *bytes >= 0)
        request.bytes = bytes;
    // What a handler leaves to net/http is sent behind it.
    request.status = status == 0 ? 200 : checked_status(status);
}

}  // namespace

std::string encoded_path(std::string_view path)
{
    std::string result;
    for (unsigned char c : path) {
        bool is_plain = c > ' ' && c < 0x7f &&
                        std::string_view("\"#%<>?\\^`{|}").find(char(c)) == std::string_view::npos;
        if (is_plain)
            result += char(c);
        else
            result += fmt::format("%{:02X}", c);
    }
    return result;
}

HttpRequest read_http_request(HttpSide side, const std::vector<output::Value> &values,
                              TypeNames &types, uint64_t entry_vaddr)
{
    HttpRequest request;
    request.goroutine = number(values[field::Goroutine]).value_or(0);
    request.latency_ns = number(values[field::Latency]).value_or(0);
    request.method = text(values[field::Method]);
    if (request.method.empty())
        request.method = "GET";  // as net/http has it
    request.host = text(values[field::Host]);
    request.path = encoded_path(text(values[field::Path]));
    std::string scheme = text(values[field::Scheme]), query = text(values[field::Query]);
    if (request.path.empty())
        request.path = "/";
    request.url = fmt::format("{}{}{}{}{}{}", scheme, scheme.empty() ? "" : "://", request.host,
                              request.path, query.empty() ? "" : "?", query);
    uint64_t bias = number(values[field::EntryAddress]).value_or(0) - entry_vaddr;
    if (side == HttpSide::Client)
        read_client(types, values, bias, request);
    else
        read_server(types, values, bias, request);
    return request;
}

}  // namespace uscope::go
