// Parses URLs and the variables of exporters.
#include "telemetry/endpoint.h"

#include <cstdlib>

#include "base/format.h"
#include "base/text.h"

namespace uscope::telemetry {
namespace {

constexpr std::string_view scheme = "http://", with_tls = "https://";

std::string variable(const std::string &name)
{
    const char *value = getenv(name.c_str());
    return value ? value : "";
}

std::string percent_decoded(std::string_view text)
{
    std::string decoded;
    for (size_t i = 0; i < text.size(); i++) {
        auto code = text[i] == '%' && i + 2 < text.size()
                        ? parse_number("0x" + std::string(text.substr(i + 1, 2)))
                        : std::nullopt;
        decoded.push_back(code ? char(*code) : text[i]);
        i += code ? 2 : 0;
    }
    return decoded;
}

bool has_control(std::string_view text)
{
    for (unsigned char c : text)
        if (c <= ' ' || c == 0x7f)
            return true;
    return false;
}

}  // namespace

std::string Endpoint::url() const
{
    bool is_ipv6 = host.find(':') != host.npos;
    return is_ipv6 ? fmt::format("http://[{}]:{}{}", host, port, path)
                   : fmt::format("http://{}:{}{}", host, port, path);
}

bool is_url(std::string_view text)
{
    return text.find("://") != text.npos;
}

Result<Endpoint> parse_endpoint(std::string_view url, std::string_view path, const UrlKind &kind)
{
    if (url.starts_with(with_tls))
        return fail_usage("{}: uscope does not speak TLS; {}", url, kind.instead_of_tls);
    if (!url.starts_with(scheme) || has_control(url))
        return fail_usage("\"{}\" is not a URL such as {}", url, kind.example);
    std::string_view rest = url.substr(scheme.size());
    size_t slash = std::min(rest.find('/'), rest.size());
    std::string_view authority = rest.substr(0, slash), own_path = rest.substr(slash);
    Endpoint endpoint;
    endpoint.port = kind.port;
    endpoint.path = own_path.empty() || own_path == "/" ? path : own_path;
    size_t bracket = authority.find(']');
    size_t colon = authority.rfind(':');
    bool has_port = colon != authority.npos && (bracket == authority.npos || colon > bracket);
    if (has_port) {
        auto port = parse_number(authority.substr(colon + 1));
        if (!port || *port == 0 || *port > UINT16_MAX)
            return fail_usage("\"{}\" has no valid port", url);
        endpoint.port = uint16_t(*port);
        authority = authority.substr(0, colon);
    }
    if (authority.starts_with('[') && authority.ends_with(']'))
        authority = authority.substr(1, authority.size() - 2);
    // "Collector." and "collector" are the same name, also for servers that compare it.
    if (authority.size() > 1 && authority.ends_with('.'))
        authority.remove_suffix(1);
    endpoint.host = lower_case(authority);
    if (endpoint.host.empty() || endpoint.host.find('@') != endpoint.host.npos)
        return fail_usage("\"{}\" is not a URL such as {}", url, kind.example);
    return endpoint;
}

Result<Endpoint> endpoint_of_environment(const std::string &signal, std::string_view path)
{
    if (std::string url = variable("OTEL_EXPORTER_OTLP_" + signal + "_ENDPOINT"); !url.empty())
        return parse_endpoint(url, "/");
    std::string url = variable("OTEL_EXPORTER_OTLP_ENDPOINT");
    while (url.ends_with('/'))
        url.pop_back();
    return parse_endpoint((url.empty() ? "http://localhost:4318" : url) + std::string(path), path);
}

Result<Pairs> headers_of_environment(const std::string &signal)
{
    Pairs headers;
    for (const std::string &name :
         {std::string("OTEL_EXPORTER_OTLP_HEADERS"), "OTEL_EXPORTER_OTLP_" + signal + "_HEADERS"}) {
        for (auto &pair : parse_pairs(variable(name))) {
            if (pair.second.find_first_of("\r\n") != pair.second.npos || has_control(pair.first))
                return fail_usage("{} has a header with a control character", name);
            headers.push_back(std::move(pair));
        }
    }
    return headers;
}

Pairs parse_pairs(std::string_view text)
{
    Pairs pairs;
    for (std::string_view part : split(text, ',')) {
        size_t equal = part.find('=');
        if (equal == part.npos)
            continue;
        std::string_view key = trim(part.substr(0, equal));
        if (!key.empty())
            pairs.emplace_back(key, percent_decoded(trim(part.substr(equal + 1))));
    }
    return pairs;
}

}  // namespace uscope::telemetry
