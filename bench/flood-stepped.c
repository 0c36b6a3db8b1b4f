/*
 * flood with a function that starts and ends with an instruction that Linux does not emulate for
 * probes: the endbr64 of -fcf-protection, and ret. The ret has its own symbol here, so that floor
 * can probe it. On arm64, it is the same as flood.
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
