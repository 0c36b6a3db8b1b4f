// Turns an event's values into a request: URL, status, bytes and error.
#include "wire/request.h"

#include "base/format.h"
#include "base/text.h"
#include "wire/go_error.h"
#include "wire/trace_parent.h"

namespace uscope::wire {
namespace {

namespace field = http_field;
using output::Value;

std::optional<int64_t> integer_of(const Value &value)
{
    if (value.kind != Value::Kind::Integer)
        return std::nullopt;
    return value.integer;
}

// Returns "" for text that the BPF programs could not read: all parts of a URL are optional.
std::string text(const Value &value)
{
    if (value.kind != Value::Kind::Text)
        return "";
    return std::string(value.text) + (value.truncated ? "..." : "");
}

// "GET host/items/{id}" has the route "/items/{id}".
std::string route_of(std::string_view pattern)
{
    size_t slash = pattern.find('/');
    return slash == pattern.npos ? "" : std::string(pattern.substr(slash));
}

class Reader {
  public:
    Reader(const std::vector<Value> &values, go::TypeNames &types, const FunctionRange &range)
        : values_(values),
          types_(types),
          range_(range),
          bias_(integer_of(values[field::EntryAddress]).value_or(0) - range.entry_vaddr)
    {
    }

    void read_common(Request &request) const;
    void read_client(Request &request) const;
    void read_server(Request &request) const;

  private:
    std::optional<int64_t> at(size_t index) const { return integer_of(values_[index]); }
    std::string type(size_t index) const
    {
        auto address = at(index);
        return address ? types_.name(*address - bias_) : "";
    }
    std::string error() const;
    // Returns false if the call ended in another function, which had recovered from a panic.
    bool has_returned() const
    {
        uint64_t end = at(field::EndAddress).value_or(0) - bias_;
        return end >= range_.entry_vaddr && end <= range_.last_vaddr;
    }
    void read_response(size_t status, size_t bytes, size_t head_sent, Request &request) const;

    const std::vector<Value> &values_;
    go::TypeNames &types_;
    const FunctionRange &range_;
    uint64_t bias_;
};

// Returns nullopt for a status that net/http cannot have sent: the read went wrong.
std::optional<int64_t> checked_status(std::optional<int64_t> status)
{
    return status && *status >= 100 && *status <= 999 ? status : std::nullopt;
}

void set_bytes(std::optional<int64_t> bytes, Request &request)
{
    if (request.method == "HEAD")
        request.bytes = 0;  // Content-Length and the bytes written describe a response to GET
    else if (bytes && *bytes >= 0)
        request.bytes = bytes;
}

void Reader::read_common(Request &request) const
{
    request.goroutine = at(field::Goroutine).value_or(0);
    request.latency_ns = at(field::Latency).value_or(0);
    request.method = text(values_[field::Method]);
    if (request.method.empty())
        request.method = "GET";  // net/http's default
    request.host = text(values_[field::Host]);
}

std::string Reader::error() const
{
    return error_text({.type = type(field::Type),
                       .word = at(field::Word),
                       .text = values_[field::Text].text,
                       .second_text = values_[field::SecondText].text,
                       .inner_type = type(field::InnerType),
                       .inner_text = values_[field::InnerText].text,
                       .inner_number = at(field::InnerNumber),
                       .inner_byte = at(field::InnerByte),
                       .dns_text = values_[field::DnsText].text,
                       .only_type = type(field::OnlyType),
                       .only_text = values_[field::OnlyText].text,
                       .only_inner_type = type(field::OnlyInnerType),
                       .only_inner_byte = at(field::OnlyInnerByte),
                       .checked_type = type(field::CheckedType),
                       .checked_word = at(field::CheckedWord),
                       .checked_text = values_[field::CheckedText].text});
}

void Reader::read_client(Request &request) const
{
    std::string scheme = text(values_[field::Scheme]), query = text(values_[field::Query]);
    std::string opaque = text(values_[field::Opaque]);
    request.path = opaque.empty()
                       ? sent_path(text(values_[field::Path]), text(values_[field::RawPath]))
                       : opaque_path(opaque);
    bool has_query = !query.empty() || at(field::ForceQuery) == 1;
    request.url = fmt::format("{}{}{}{}{}{}", scheme, scheme.empty() ? "" : "://", request.host,
                              request.path, has_query ? "?" : "", query);
    if (at(field::Type).value_or(0)) {
        request.error = error();
        return;
    }
    request.status = checked_status(at(field::Status));
    set_bytes(at(field::Bytes), request);
}

// Reads a handler's response. The handler may have written one, may have returned without
// writing one (net/http then sends it), or may have panicked.
void Reader::read_response(size_t status, size_t bytes, size_t head_sent, Request &request) const
{
    auto raw_status = at(status);
    bool has_panicked = !has_returned();
    if (has_panicked)
        request.error = "panic";
    if (has_panicked && at(head_sent) != 1)
        return;
    request.status = raw_status == 0 ? 200 : checked_status(raw_status);
    set_bytes(at(bytes), request);
}

void Reader::read_server(Request &request) const
{
    std::string uri = text(values_[field::Uri]);
    if (request.method == "CONNECT")
        uri.clear();  // CONNECT's URI is the host
    if (size_t scheme = uri.find("://"); scheme != uri.npos && uri[0] != '/')
        // The URI is absolute, as in requests to proxies: http://host/path.
        uri.erase(0, std::min(uri.find('/', scheme + 3), uri.size()));
    request.path = uri.substr(0, uri.find('?'));
    if (request.path.empty())
        request.path = "/";
    request.url = request.host + (uri.empty() ? "/" : uri);

    std::string writer = type(field::Type);
    if (writer == "*http.response") {
        request.is_hijacked = at(field::Hijacked) == 1;
        if (!request.is_hijacked)
            read_response(field::Status, field::Bytes, field::HeadSent, request);
        else if (!has_returned())
            request.error = "panic";
    } else if (writer == "*http.http2responseWriter" || writer == "http.http2ResponseWriter") {
        read_response(field::Http2Status, field::Http2Bytes, field::Http2HeadSent, request);
    } else if (writer == "*http2.responseWriter") {
        read_response(field::OtherHttp2Status, field::OtherHttp2Bytes, field::OtherHttp2HeadSent,
                      request);
    }
}

bool is_alphanumeric(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Returns nullopt if `encoded` is not a valid encoding of a path.
std::optional<std::string> decoded_path(std::string_view encoded)
{
    std::string path;
    for (size_t i = 0; i < encoded.size(); i++) {
        if (encoded[i] != '%') {
            if (!is_alphanumeric(encoded[i]) &&
                std::string_view("-_.~$&+,/:;=@!'()*[]").find(encoded[i]) == encoded.npos)
                return std::nullopt;
            path += encoded[i];
            continue;
        }
        auto byte = parse_number(fmt::format("0x{}", encoded.substr(i + 1, 2)));
        if (!byte || i + 2 >= encoded.size())
            return std::nullopt;
        path += char(*byte);
        i += 2;
    }
    return path;
}

}  // namespace

std::string encoded_path(std::string_view path)
{
    std::string result;
    for (unsigned char c : path) {
        if (is_alphanumeric(c) || std::string_view("-_.~$&+,/:;=@!'()*").find(char(c)) != path.npos)
            result += char(c);
        else
            result += fmt::format("%{:02X}", c);
    }
    return result;
}

std::string sent_path(std::string_view path, std::string_view raw_path)
{
    auto decoded = raw_path.empty() ? std::nullopt : decoded_path(raw_path);
    if (decoded == path)
        return std::string(raw_path);
    return path.empty() ? "/" : path == "*" ? "*" : encoded_path(path);
}

std::string opaque_path(std::string_view opaque)
{
    if (!opaque.starts_with("//"))
        return std::string(opaque);
    size_t path = opaque.find('/', 2);  // after the host
    return std::string(path == opaque.npos ? "/" : opaque.substr(path));
}

Request read_request(Side side, const std::vector<output::Value> &values, go::TypeNames &types,
                     const FunctionRange &range)
{
    Request request;
    size_t fields = side == Side::Client ? field::ClientFields : field::ServerFields;
    if (values.size() < fields)
        return request;
    if (values.size() > fields && parse_traceparent(values[fields].text))
        request.traceparent = values[fields].text;
    if (values.size() > fields + 1)
        request.route = route_of(text(values[fields + 1]));
    Reader reader(values, types, range);
    reader.read_common(request);
    if (side == Side::Client)
        reader.read_client(request);
    else
        reader.read_server(request);
    return request;
}

}  // namespace uscope::wire
