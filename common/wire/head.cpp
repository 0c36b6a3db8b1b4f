// Parses heads of HTTP/1 messages.
#include "wire/head.h"

#include <algorithm>

#include "base/text.h"

namespace uscope::wire {
namespace {

constexpr size_t longest_method = 32;
constexpr std::string_view version_prefix = "HTTP/1.";

bool is_token(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

}  // namespace

bool is_method(std::string_view text)
{
    constexpr char lower_case = 0x20;
    return !text.empty() && text.size() <= longest_method && (text[0] | lower_case) >= 'a' &&
           (text[0] | lower_case) <= 'z' && std::all_of(text.begin(), text.end(), is_token);
}

namespace {

// Is it written like a registered method? Then it may be one even if nothing follows it yet.
bool is_usual_method(std::string_view text)
{
    return is_method(text) && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'A' && c <= 'Z') || c == '-';
           });
}

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// "HTTP/1.0", "HTTP/1.1"
bool is_version(std::string_view text)
{
    return text.size() == version_prefix.size() + 1 && text.starts_with(version_prefix) &&
           is_digit(text.back());
}

// "GET /path HTTP/1.1". A cut line has no version.
bool parse_request_line(std::string_view line, bool is_cut, Head &head)
{
    size_t space = line.find(' ');
    if (space == line.npos || !is_method(line.substr(0, space)))
        return false;
    std::string_view rest = line.substr(space + 1);
    size_t last = rest.rfind(' ');
    if (last == rest.npos || !is_version(rest.substr(last + 1))) {
        if (!is_cut || rest.empty())
            return false;
        last = rest.size();
    } else {
        head.version = rest.substr(last + 1);
    }
    head.is_request = true;
    head.method = line.substr(0, space);
    head.target = rest.substr(0, last);
    return last != 0 && head.target.find(' ') == std::string::npos;
}

// "HTTP/1.1 200 OK"
bool parse_status_line(std::string_view line, Head &head)
{
    constexpr size_t status_at = version_prefix.size() + 2, digits = 3;
    if (line.size() < status_at + digits || !is_version(line.substr(0, status_at - 1)) ||
        line[status_at - 1] != ' ')
        return false;
    std::string_view status = line.substr(status_at, digits);
    if (!std::all_of(status.begin(), status.end(), is_digit) || status[0] == '0')
        return false;
    if (line.size() > status_at + digits && line[status_at + digits] != ' ')
        return false;
    head.version = line.substr(0, status_at - 1);
    head.status = int(*parse_number(status));
    return true;
}

void add_header(std::string_view line, Head &head)
{
    size_t colon = line.find(':');
    if (colon == line.npos || colon == 0)
        return;
    std::string_view name = line.substr(0, colon);
    if (std::all_of(name.begin(), name.end(), is_token))
        head.headers.push_back({lower_case(name), std::string(trim(line.substr(colon + 1)))});
}

// Removes the first line from the text and returns it without its line end. A last line without a
// line end is returned as it is.
std::string_view take_line(std::string_view &text)
{
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

// Returns Content-Length, or nullopt if it is missing or invalid. Accepts repeated equal values,
// which some proxies write.
std::optional<uint64_t> content_length(const Head &head)
{
    std::optional<uint64_t> length;
    for (const Header &header : head.headers) {
        if (header.name != "content-length")
            continue;
        for (std::string_view part : split(header.value, ',')) {
            std::string_view digits = trim(part);
            auto number = parse_number(digits);
            if (!number || !std::all_of(digits.begin(), digits.end(), is_digit) ||
                (length && *length != *number))
                return std::nullopt;
            length = number;
        }
    }
    return length;
}

}  // namespace

const std::string *Head::find(std::string_view name) const
{
    auto found = std::find_if(headers.begin(), headers.end(),
                              [&](const Header &header) { return header.name == name; });
    return found == headers.end() ? nullptr : &found->value;
}

bool Head::has_token(std::string_view name, std::string_view token) const
{
    for (const Header &header : headers) {
        if (header.name != name)
            continue;
        for (std::string_view part : split(header.value, ',')) {
            if (lower_case(trim(part)) == token)
                return true;
        }
    }
    return false;
}

size_t Head::bytes() const
{
    size_t bytes = method.size() + target.size() + headers.size() * sizeof(Header);
    for (const Header &header : headers)
        bytes += header.name.size() + header.value.size();
    return bytes;
}

std::optional<size_t> find_head_end(std::string_view text, size_t from)
{
    for (size_t at = text.find('\n', from); at != text.npos; at = text.find('\n', at + 1)) {
        std::string_view next = text.substr(at + 1, 2);
        if (next.starts_with('\n'))
            return at + 2;
        if (next == "\r\n")
            return at + 3;
    }
    return std::nullopt;
}

std::optional<Head> parse_head(std::string_view text)
{
    Head head;
    head.is_cut = !find_head_end(text);
    bool is_line_cut = text.find('\n') == text.npos;
    std::string_view line = take_line(text);
    if (!parse_status_line(line, head) && !parse_request_line(line, is_line_cut, head))
        return std::nullopt;
    while (!text.empty()) {
        if (head.is_cut && text.find('\n') == text.npos)
            break;  // the last header may be cut
        line = take_line(text);
        if (line.empty())
            break;
        add_header(line, head);
    }
    return head;
}

bool may_begin_head(std::string_view text)
{
    if (text.starts_with("HTTP"))
        return text.substr(0, version_prefix.size()) == version_prefix.substr(0, text.size());
    size_t space = text.find(' ');
    if (space == text.npos)
        return is_usual_method(text);
    std::string_view method = text.substr(0, space), target = text.substr(space + 1);
    return is_usual_method(method) ||
           (is_method(method) &&
            (target.starts_with('/') || target.starts_with('*') || target.starts_with("http")));
}

Body request_body(const Head &request)
{
    if (request.is_cut)
        return {Body::Kind::Unknown};
    if (request.has_token("transfer-encoding", "chunked"))
        return {Body::Kind::Chunked};
    return {Body::Kind::Length, content_length(request).value_or(0)};
}

Body response_body(const Head &response, std::string_view method)
{
    constexpr int switching = 101, ok = 200, redirects = 300, no_content = 204, not_modified = 304;
    int status = response.status;
    if (status == switching || (method == "CONNECT" && status >= ok && status < redirects))
        return {Body::Kind::Tunnel};
    if (status < ok || status == no_content || status == not_modified || method == "HEAD")
        return {Body::Kind::Length, 0};
    if (response.has_token("transfer-encoding", "chunked"))
        return {Body::Kind::Chunked};
    if (auto length = content_length(response))
        return {Body::Kind::Length, *length};
    return {response.is_cut ? Body::Kind::Unknown : Body::Kind::UntilClose};
}

}  // namespace uscope::wire
