/*
 * flood.c with a stack of eight frames, without frame pointers: flood_work(), the main() of
 * flood.c, down() twice, main(), and the three functions that call main() in every program.
 */
#define main flood_main
#include "flood.c"
#undef main

__attribute__((noipa)) static int down(int depth, int argc, char **argv)
{
    int status = depth ? down(depth - 1, argc, argv) : flood_main(argc, argv);

    __asm__ volatile(""); /* no tail call */
    return status;
}

int main(int argc, char **argv)
{
    int status = down(1, argc, argv);

    __asm__ volatile("");
    return status;
}
