// {fmt}. Debian has no static library of it: its part that is no template is compiled in format.cpp.
#pragma once

#include <fmt/format.h>
#if FMT_VERSION >= 110000
#include <fmt/ranges.h>  // has fmt::join() since then
#endif
