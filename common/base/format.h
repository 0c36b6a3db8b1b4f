// {fmt}. Debian has no static library of it: its part that is no template is compiled in format.cpp.
#pragma once

#include <fmt/format.h>
