// Hides secrets, and writes URLs and headers.
#include "wire/shown.h"

#include "base/format.h"
#include "base/text.h"
#include "output/json.h"
#include "wire/secrets.h"

namespace uscope::wire {
namespace {

// Returns the headers with their secrets hidden. A value may be a URL, as in Referer and Location.
std::vector<Header> wanted_headers(const Head *head, const ShownStyle &style)
{
    std::vector<Header> wanted;
    for (const std::string &option : style.headers) {
        std::string name = lower_case(option);
        const std::string *value = head ? head->find(name) : nullptr;
        if (!value)
            continue;
        if (style.secrets)
            wanted.push_back({name, *value});
        else
            wanted.push_back({name, is_secret_header(name) ? "***" : without_secrets(*value)});
    }
    return wanted;
}

// " [accept: */*]"
std::string headers_text(const Head *head, const ShownStyle &style)
{
    std::string text;
    for (const Header &header : wanted_headers(head, style))
        text += fmt::format(" [{}: {}]", header.name, header.value);
    return text;
}

}  // namespace

ShownExchange shown(Exchange &&exchange, const ShownStyle &style)
{
    Request request;
    request.latency_ns =
        exchange.end_ns > exchange.begin_ns ? exchange.end_ns - exchange.begin_ns : 0;
    request.method = exchange.request.method;
    request.host = exchange.host();
    if (size_t at = request.host.rfind('@'); at != request.host.npos && !style.secrets)
        request.host.erase(0, at + 1);
    request.path = exchange.path();
    std::string target = exchange.path_and_query();
    bool is_path = target.empty() || target[0] == '/' || target[0] == '?';  // "*" is not
    request.url =
        request.host + (is_path ? "" : " ") + (style.secrets ? target : without_secrets(target));
    if (exchange.request.is_cut)
        request.url += exchange.request.target.empty() ? "?" : "...";
    request.error = exchange.error;
    if (exchange.response && exchange.response->status)
        request.status = exchange.response->status;
    if (exchange.response_bytes)
        request.bytes = *exchange.response_bytes;
    return {std::move(exchange), std::move(request)};
}

std::string ShownExchange::url_text(const ShownStyle &style) const
{
    const Head *response = exchange.response ? &*exchange.response : nullptr;
    std::string text = request.url;
    if (exchange.is_upgraded()) {
        const std::string *upgrade = response->find("upgrade");
        text += fmt::format(" (upgraded to {})", upgrade ? *upgrade : "?");
    }
    if (exchange.grpc_status)
        text += fmt::format(" (grpc status {})", *exchange.grpc_status);
    if (!exchange.error.empty())
        text += fmt::format(" ({})", exchange.error);
    return text + headers_text(&exchange.request, style) + headers_text(response, style);
}

std::string ShownExchange::bytes_text() const
{
    if (!request.bytes)
        return "-";
    return fmt::format("{}{}", exchange.is_response_exact ? "" : "~", *request.bytes);
}

std::optional<uint64_t> ShownExchange::first_byte_ns() const
{
    uint64_t first = exchange.first_byte_ns, begin = exchange.begin_ns;
    return first ? std::optional(first > begin ? first - begin : 0) : std::nullopt;
}

output::Cell headers_cell(const Head *head, const ShownStyle &style)
{
    auto headers = wanted_headers(head, style);
    if (headers.empty())
        return {};
    std::string text;
    output::JsonObject object(text);
    for (const Header &header : headers)
        object.add(header.name, header.value);
    object.end();
    return output::Cell::json(std::move(text));
}

}  // namespace uscope::wire
