// Lets a fuzzer report wrong results, in addition to the errors that the sanitizers detect.
#pragma once

#include <cstdlib>

inline void require(bool condition)
{
    if (!condition)
        abort();
}
