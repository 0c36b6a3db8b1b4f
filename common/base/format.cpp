// Compiles the code of {fmt} that is not a template, once for the whole program. Debian has {fmt}
// only as headers and as a shared library, and the tools do not use the shared library. With
// FMT_HEADER_ONLY, each source that formats text took 4.6 s to compile; without it, 0.8 s.
//
// No format uses the locale, so its separator is a constant: otherwise the program would contain
// the locales and streams of the C++ library.
//
// The instantiations below are those for `char` in {fmt}'s own src/format.cc, written so that
// versions 9, 10 and 11 accept them.
#define FMT_STATIC_THOUSANDS_SEPARATOR ','
#include "base/format.h"

#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
template void buffer<char>::append(const char *, const char *);
template void vformat_to(buffer<char> &, string_view, format_args, locale_ref);
}  // namespace detail
FMT_END_NAMESPACE

namespace uscope {

void append_formatted(std::string &out, fmt::string_view format, fmt::format_args args)
{
    fmt::vformat_to(std::back_inserter(out), format, args);
}

}  // namespace uscope
