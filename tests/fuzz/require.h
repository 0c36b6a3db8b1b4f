// What a fuzzer finds wrong besides what the sanitizers see.
#pragma once

#include <cstdlib>

inline void require(bool condition)
{
    if (!condition)
        abort();
}
