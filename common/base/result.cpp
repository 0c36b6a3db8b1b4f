// Creates and deletes errors, so that callers need not inline this code.
#include "base/result.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/format.h"

namespace uscope {
namespace detail {

void miss_value()
{
    fputs("uscope: a result without a value\n", stderr);
    abort();
}

Error *keep(Error &&error)
{
    return new Error(std::move(error));
}

void drop(Error *error)
{
    delete error;
}

Failure<> fail(Error::Kind kind, fmt::string_view format, fmt::format_args args)
{
    return Failure(Error{.text = fmt::vformat(format, args), .kind = kind});
}

Failure<> fail_at(std::string_view source, size_t column, fmt::string_view format,
                  fmt::format_args args)
{
    return Failure(Error{.text = fmt::vformat(format, args),
                         .kind = Error::Kind::Usage,
                         .source = std::string(source),
                         .column = column});
}

Failure<> fail_errno(fmt::string_view format, fmt::format_args args)
{
    int error = errno;
    return Failure(
        Error{.text = fmt::vformat(format, args) + ": " + errno_text(error), .code = error});
}

}  // namespace detail

std::string errno_text(int error)
{
    std::string text = strerror(error);
    return error == EMFILE ? text + " (raise ulimit -n)" : text;
}

}  // namespace uscope
