/* flood with frame pointers, where the traced function starts with `push %rbp`. */
#pragma GCC optimize("no-omit-frame-pointer")
#define FLOOD_ENTRY __attribute__((noipa, optimize("O0")))
#include "flood.c"
