#include "go/http_error.h"

#include "base/format.h"
#include "go/error_text.h"

namespace uscope::go {
namespace {

std::string simple_text(const std::string &type, std::string_view text)
{
    if (begins_with_error_text(type))
        return std::string(text);
    if (std::string_view fixed = fixed_error_text(type); !fixed.empty())
        return std::string(fixed);
    return type.empty() ? "an error of unknown type" : type;
}

}  // namespace

std::string http_error_text(const ErrorParts &parts)
{
    if (parts.type == "*net.OpError") {
        std::string inner;
        if (parts.inner_type == "*os.SyscallError" && parts.inner_number)
            inner = fmt::format("{}: {}", parts.inner_text, system_error_text(*parts.inner_number));
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
