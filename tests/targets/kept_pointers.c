/*
 * Functions in assembly that keep the stack pointer of their entry in a register or in memory, as
 * those of OpenSSL do, and restore it at the end. So the caller's frame is found only by that copy.
 *
 *     kept_pointers [N]
 *
 * These are the calls:
 *
 *     main() -> by_memory() -> seen()                                 N times (default 1)
 *     main() -> by_register() -> inner()                              N times
 *     main() -> without_table(), which has no unwinding table         N times
 *     main() -> by_register() -> inner() -> a signal -> handled()     10 times
 *
 * build: -O1
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

void by_memory(void);
void by_register(int fails); /* `fails`: inner() executes an invalid instruction */
void inner(int fails);
int without_table(int a);

#if defined(__x86_64__)
__asm__(
    ".text\n.type by_memory, %function\nby_memory:\n.cfi_startproc\n"
    "mov %rsp, %rax\n.cfi_def_cfa_register rax\n"
    "push %rbx\n.cfi_offset rbx, -16\n"
    "push %rbp\n.cfi_offset rbp, -24\n"
    "sub $72, %rsp\n"
    "mov %rax, 40(%rsp)\n.cfi_escape 0x0f, 5, 0x77, 40, 0x06, 0x23, 8\n" /* *(rsp + 40) + 8 */
    "xor %ebp, %ebp\n"
    "call seen\n"
    "mov 40(%rsp), %rsi\n.cfi_def_cfa rsi, 8\n"
    "mov -16(%rsi), %rbp\n.cfi_restore rbp\n"
    "mov %rsi, %rsp\n.cfi_def_cfa_register rsp\n"
    "ret\n.cfi_endproc\n.size by_memory, .-by_memory\n"

    ".type by_register, %function\nby_register:\n.cfi_startproc\n"
    "mov %rsp, %rax\n.cfi_def_cfa_register rax\n"
    "push %rbp\n.cfi_offset rbp, -16\n"
    "sub $256, %rsp\nand $-32, %rsp\n"
    "xor %ebp, %ebp\n"
    "call inner\n"
    "mov -8(%rax), %rbp\n.cfi_restore rbp\n"
    "mov %rax, %rsp\n.cfi_def_cfa_register rsp\n"
    "ret\n.cfi_endproc\n.size by_register, .-by_register\n"

    ".type inner, %function\ninner:\n.cfi_startproc\n"
    "nop\ntest %edi, %edi\nje 1f\nud2\n1: ret\n"
    ".cfi_endproc\n.size inner, .-inner\n"
    ".type without_table, %function\nwithout_table:\n"
    "mov $1, %eax\ntest %edi, %edi\ncmove %edi, %eax\nje 1f\nadd %edi, %eax\n1: ret\n"
    ".size without_table, .-without_table\n"
    ".section .note.GNU-stack, \"\", %progbits\n.text\n");
#else
void seen(void);
void by_memory(void)
{
    seen();
}
void by_register(int fails)
{
    inner(fails);
}
void inner(int fails) {}
int without_table(int a)
{
    return a + 1;
}
#endif

// The nop is for probes: the kernel emulates it, which is cheaper than single-stepping.
__attribute__((noipa)) void seen(void)
{
    __asm__("nop");
}

__attribute__((noipa)) void handled(void) {}

static void handle(int number, siginfo_t *info, void *context)
{
    handled();
#if defined(__x86_64__)
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2; /* after ud2 */
#endif
}

int main(int argc, char **argv)
{
    long calls = argc > 1 ? atol(argv[1]) : 1;
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};

    sigaction(SIGILL, &action, NULL);
    for (long n = 0; n < calls; n++) {
        by_memory();
        by_register(0);
        without_table(n & 1);
    }
    for (int n = 0; n < 10; n++)
        by_register(1);
}
