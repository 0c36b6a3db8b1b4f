// Errors as values. What the outside world can make fail returns a Result; TRY passes the error up.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include <tl/expected.hpp>

#include "base/format.h"

namespace uscope {

// What went wrong, in one line for a person: what was being done, to what, and the way out.
struct Error {
    enum class Kind { Failed, Usage };  // exit status 1, 2

    std::string text;
    Kind kind = Kind::Failed;
    // The place in the text the user typed, when there is one: shown as that text and a caret under
    // it.
    std::string source = {};
    size_t column = 0;  // bytes from the start of `source`
    int code = 0;       // errno of the system call that failed, if one did
};

template <class T = void>
class [[nodiscard]] Result : public tl::expected<T, Error> {
  public:
    using tl::expected<T, Error>::expected;
};

template <class... Args>
tl::unexpected<Error> fail(fmt::format_string<Args...> format, Args &&...args)
{
    return tl::unexpected(Error{fmt::format(format, std::forward<Args>(args)...)});
}

// The command line is wrong: exit status 2.
template <class... Args>
tl::unexpected<Error> fail_usage(fmt::format_string<Args...> format, Args &&...args)
{
    return tl::unexpected(
        Error{fmt::format(format, std::forward<Args>(args)...), Error::Kind::Usage});
}

// The user's text is wrong at `column` bytes into `source`: exit status 2, and a caret under the
// place.
template <class... Args>
tl::unexpected<Error> fail_at(std::string_view source, size_t column,
                              fmt::format_string<Args...> format, Args &&...args)
{
    return tl::unexpected(Error{fmt::format(format, std::forward<Args>(args)...),
                                Error::Kind::Usage, std::string(source), column});
}

// What errno says, and the way out where there is one.
inline std::string errno_text(int error)
{
    std::string text = strerror(error);
    return error == EMFILE ? text + " (raise ulimit -n)" : text;
}

// A system call failed: the message, then ": " and what errno says.
template <class... Args>
tl::unexpected<Error> fail_errno(fmt::format_string<Args...> format, Args &&...args)
{
    int error = errno;
    return tl::unexpected(
        Error{.text = fmt::format(format, std::forward<Args>(args)...) + ": " + errno_text(error),
              .code = error});
}

namespace detail {
template <class T>
T take(Result<T> &result)
{
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}
}  // namespace detail

// The value of a Result, or return its error from the enclosing function.
#define TRY(expression)                                            \
    ({                                                             \
        auto try_result_ = (expression);                           \
        if (!try_result_)                                          \
            return tl::unexpected(std::move(try_result_.error())); \
        ::uscope::detail::take(try_result_);                       \
    })

}  // namespace uscope
