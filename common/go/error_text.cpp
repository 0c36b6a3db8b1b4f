// The tables of error types and their texts.
#include "go/error_text.h"

#include <array>
#include <cstring>
#include <utility>

namespace uscope::go {

bool begins_with_error_text(std::string_view type)
{
    constexpr std::array<std::string_view, 7> types = {
        "*errors.errorString", "*fmt.wrapError",     "*fmt.wrapErrors",    "*http.httpError",
        "*http.timeoutError",  "*poll.fdMutexError", "*http.ProtocolError"};
    for (std::string_view known : types)
        if (known == type)
            return true;
    return false;
}

std::string_view fixed_error_text(std::string_view type)
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

std::string system_error_text(int64_t number)
{
    std::string text = strerror(number);
    if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z')
        text[0] += 'a' - 'A';
    return text;
}

}  // namespace uscope::go
