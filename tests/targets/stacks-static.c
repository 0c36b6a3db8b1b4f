/*
 * The same stacks, with a C library inside that a test can strip of its names.
 * build: -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread -static
 */
#include "stacks.c"
