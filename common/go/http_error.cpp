#include "go/http_error.h"

#include <array>
#include <cstring>
#include <utility>

#include "base/format.h"

namespace uscope::go {
namespace {

// Structures that begin with the whole text.
bool begins_with_text(std::string_view type)
{
    constexpr std::array<std::string_view, 7> types = {
        "*errors.errorString", "*fmt.wrapError",     "*fmt.wrapErrors",    "*http.httpError",
        "*http.timeoutError",  "*poll.fdMutexError", "*http.ProtocolError"};
    for (std::string_view known : types)
        if (known == type)
            return true;
    return false;
}

// Those that have nothing, and always say the same.
std::string_view fixed_text(std::string_view type)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> texts = {{
        {"context.deadlineExceededError", "context deadline exceeded"},
        {"http.tlsHandshakeTimeoutError", "net/http: TLS handshake timeout"},
        {"*net.timeoutError", "i/o timeout"},
        {"*poll.DeadlineExceededError", "i/o timeout"},
        {"*net.canceledError", "operation was canceled"},
    }};
    for (auto [known, text] : texts)
        if (known == type)
            return text;
    return {};
}

std::string simple_text(const std::string &type, std::string_view text)
{
    if (begins_with_text(type))
        return std::string(text);
    if (std::string_view fixed = fixed_text(type); !fixed.empty())
        return std::string(fixed);
    return type.empty() ? "an error of unknown type" : type;
}

// What Go calls an error of the system: as the C library, without a capital letter.
std::string system_text(int64_t number)
{
    std::string text = strerror(number);
    if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z')
        text[0] += 'a' - 'A';
    return text;
}

}  // namespace

std::string http_error_text(const ErrorParts &parts)
{
    if (parts.type == "*net.OpError") {
        std::string inner;
        if (parts.inner_type == "*os.SyscallError" && parts.inner_number)
            inner = fmt::format("{}: {}", parts.inner_text, system_text(*parts.inner_number));
        else if (parts.inner_type == "*net.DNSError")
            inner = fmt::format("lookup: {}", parts.inner_text);
        else
            inner = simple_text(parts.inner_type, parts.inner_text);
        return fmt::format("{} {}: {}", parts.text, parts.second_text, inner);
    }
    if (parts.type == "http.nothingWrittenError")
        return simple_text(parts.only_type, parts.only_text);
    if (parts.type == "http.transportReadFromServerError") {
        return fmt::format("net/http: Transport failed to read from server: {}",
                           simple_text(parts.only_type, parts.only_text));
    }
    return simple_text(parts.type, parts.text);
}

}  // namespace uscope::go
