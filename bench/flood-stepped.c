/*
 * flood.c with another flood_work(): it starts with the endbr64 of -fcf-protection and ends with
 * ret. Linux does not emulate these two instructions when they have a probe, but single-steps them.
 * The ret has a symbol of its own, so that floor can probe it. On arm64, this program is the same
 * as flood.
 */
#if defined(__x86_64__)
#define FLOOD_IN_ASSEMBLY
__asm__(
    ".globl flood_work\n"
    ".type flood_work, @function\n"
    "flood_work:\n"
    "endbr64\n"
    "movslq %edi, %rax\n"
    "add %rsi, %rax\n"
    "movsbq (%rdx), %rdx\n"
    "add %rdx, %rax\n"
    ".size flood_work, .-flood_work + 1\n" /* includes the ret */
    ".type flood_work_ret, @function\n"
    "flood_work_ret:\n"
    "ret\n"
    ".size flood_work_ret, .-flood_work_ret\n");
#endif
#include "flood.c"
