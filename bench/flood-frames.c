/* flood with frame pointers. */
#pragma GCC optimize("no-omit-frame-pointer")
#include "flood.c"
