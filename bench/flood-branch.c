/*
 * flood.c with another flood_work(): it returns after a branch that is not taken, the check of the
 * stack protector, as many functions of distributions do. Before Linux 6.19, uscope sees the return
 * at this branch, which the kernel emulates. (The compiler's own flags would move the entry's nop.)
 */
#if defined(__x86_64__)
#define FLOOD_IN_ASSEMBLY
__asm__(
    ".globl flood_work\n"
    ".type flood_work, @function\n"
    "flood_work:\n"
    "push %rbx\n"
    "sub $16, %rsp\n"
    "mov %fs:0x28, %rax\n"
    "mov %rax, 8(%rsp)\n"
    "movslq %edi, %rbx\n"
    "add %rsi, %rbx\n"
    "mov 8(%rsp), %rax\n"
    "sub %fs:0x28, %rax\n"
    "jne 1f\n"
    "mov %rbx, %rax\n"
    "add $16, %rsp\n"
    "pop %rbx\n"
    "ret\n"
    "1: call abort\n"
    ".size flood_work, .-flood_work\n");
#endif
#include "flood.c"
