/*
 * The stacks of stacks.c, in code without frame pointers.
 * build: -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -pthread
 */
#include "stacks.c"
