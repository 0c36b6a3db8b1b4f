/*
 * Calls a function on another stack than that of its callers, as Go's runtime does: main() switches
 * to begins() on the first stack, and works() calls leaf() on the second one. Unreadable memory
 * follows each stack, directly after its outermost frame.
 *
 * build: -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK = 1 << 20 };

/* Calls `function` on the stack that ends at `top`. */
void call_on(void *top, void (*function)(void));
__asm__(
    ".text\n.type call_on, %function\ncall_on:\n.cfi_startproc\n"
#if defined(__x86_64__)
    "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset rbp, -16\n"
    "mov %rsp, %rbp\n.cfi_def_cfa_register rbp\n"
    "mov %rdi, %rsp\ncall *%rsi\nleave\n.cfi_def_cfa rsp, 8\nret\n"
#else
    "stp x29, x30, [sp, -16]!\n.cfi_def_cfa_offset 16\n.cfi_offset x29, -16\n.cfi_offset x30, -8\n"
    "mov x29, sp\n.cfi_def_cfa_register x29\n"
    "mov sp, x0\nblr x1\nmov sp, x29\n.cfi_def_cfa_register sp\n"
    "ldp x29, x30, [sp], 16\n.cfi_restore x29\n.cfi_restore x30\n.cfi_def_cfa_offset 0\nret\n"
#endif
    ".cfi_endproc\n.size call_on, .-call_on\n.section .note.GNU-stack, \"\", %progbits\n.text\n");

static char *own, *other; /* the two stacks; the page after each cannot be read */

static char *stack_before_nothing(void)
{
    char *stack =
        mmap(NULL, STACK + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (stack == MAP_FAILED || mprotect(stack + STACK, 4096, PROT_NONE))
        exit(1);
    return stack;
}

__attribute__((noinline)) void leaf(void)
{
    write(STDOUT_FILENO, "leaf\n", 5);
}

__attribute__((noinline)) void works(void)
{
    call_on(other + STACK, leaf);
}

static void begins(void)
{
    works();
}

int main(void)
{
    static ucontext_t here, there;

    own = stack_before_nothing();
    other = stack_before_nothing();
    getcontext(&there);
    there.uc_stack = (stack_t){.ss_sp = own, .ss_size = STACK};
    there.uc_link = &here;
    makecontext(&there, begins, 0);
    return swapcontext(&here, &there);
}
