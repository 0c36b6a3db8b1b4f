/*
 * The stacks of stacks.c, linked statically: tests can remove the symbols of the C library in it.
 * build: -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread -static
 */
#include "stacks.c"
