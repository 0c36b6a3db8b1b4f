// Compiles the part of {fmt} that is not a template, once. Debian ships {fmt} as headers and a
// shared library. With FMT_HEADER_ONLY, each file that formats text took 4.6 s to compile; now it
// takes 0.8 s.
//
// These are the instantiations for `char` of fmt's own src/format.cc, in a form that versions 9, 10
// and 11 accept.
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
