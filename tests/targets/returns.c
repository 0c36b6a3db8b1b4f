/*
 * Functions with all forms of return instructions.
 *
 *     returns [N]
 *
 * At the start and for each line that it reads, calls each of them N times (default 1). Compares
 * all registers, the flags and the stack after each call with those after the function's first
 * call, and prints "same" or the differences.
 *
 * build: -fcf-protection=none -fno-stack-protector -no-pie
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
/* A function for each form. The instructions before the return set the flags. */
#define FUNCTION(name, body)                                                       \
    ".globl " name "\n.type " name ", @function\n" name ":\n.cfi_startproc\n" body \
    "\n.cfi_endproc\n.size " name ", . - " name "\n"

__asm__(".text\n" FUNCTION("ret_plain", "mov $1, %eax\nadd $-1, %eax\nret")
        /* */ FUNCTION("ret_rep", "mov $2, %eax\nsub $3, %eax\nrep ret")
        /* */ FUNCTION("ret_bnd", "mov $3, %eax\ntest %eax, %eax\n.byte 0xf2\nret")
        /* */ FUNCTION("ret_16", "mov $4, %eax\nstd\nret $16")
        /* */ FUNCTION("ret_zero", "mov $5, %eax\nstc\nret $0")
        /* */ FUNCTION("ret_lone", "ret")
        /* */ FUNCTION("ret_lone_by_jump", "mov $6, %eax\njmp ret_lone")
        /* */ FUNCTION("ret_branch", "endbr64\nret"));

/*
 * The words that call() stores: the 15 registers in the order of its code, the flags, how far the
 * stack pointer has moved, and 4 words of the stack.
 */
enum { REGISTERS = 15, FLAGS = REGISTERS, MOVED, STACK, WORDS = STACK + 4 };

/* Calls the function with a number in each register, and four arguments on the stack. */
void call(const void *function, uint64_t *words);
__asm__(
    FUNCTION("call",
             "push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n"
             "push %rsi\n" /* words */
             "push $44\npush $33\npush $22\npush $11\n"
             "mov %rdi, %rax\n"
             "mov $1, %ebx\nmov $2, %ecx\nmov $3, %edx\nmov $4, %esi\nmov $5, %edi\nmov $6, %ebp\n"
             "mov $7, %r8d\nmov $8, %r9d\nmov $9, %r10d\nmov $10, %r11d\nmov $11, %r12d\n"
             "mov $12, %r13d\nmov $13, %r14d\nmov $14, %r15d\n"
             "mov %rsp, saved(%rip)\n"
             "call *%rax\n"
             "mov %rsp, moved(%rip)\n"
             "mov saved(%rip), %rsp\n"
             "pushfq\ncld\n"
             "push %rax\n"
             "mov 48(%rsp), %rax\n" /* words */
             "mov %rbx, 8(%rax)\nmov %rcx, 16(%rax)\nmov %rdx, 24(%rax)\nmov %rsi, 32(%rax)\n"
             "mov %rdi, 40(%rax)\nmov %rbp, 48(%rax)\nmov %r8, 56(%rax)\nmov %r9, 64(%rax)\n"
             "mov %r10, 72(%rax)\nmov %r11, 80(%rax)\nmov %r12, 88(%rax)\nmov %r13, 96(%rax)\n"
             "mov %r14, 104(%rax)\nmov %r15, 112(%rax)\n"
             "pop %rcx\nmov %rcx, (%rax)\n"
             "pop %rcx\nmov %rcx, 120(%rax)\n"
             "mov moved(%rip), %rcx\nsub saved(%rip), %rcx\nmov %rcx, 128(%rax)\n"
             "pop %rcx\nmov %rcx, 136(%rax)\npop %rcx\nmov %rcx, 144(%rax)\n"
             "pop %rcx\nmov %rcx, 152(%rax)\npop %rcx\nmov %rcx, 160(%rax)\n"
             "pop %rsi\n"
             "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\nret"));

uint64_t saved, moved;

extern const char ret_plain[], ret_rep[], ret_bnd[], ret_16[], ret_zero[], ret_lone[],
    ret_lone_by_jump[], ret_branch[];

static const struct {
    const char *name;
    const void *function;
} forms[] = {{"ret_plain", ret_plain},
             {"ret_rep", ret_rep},
             {"ret_bnd", ret_bnd},
             {"ret_16", ret_16},
             {"ret_zero", ret_zero},
             {"ret_lone", ret_lone},
             {"ret_lone_by_jump", ret_lone_by_jump},
             {"ret_branch", ret_branch}};
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

int main(int argc, char **argv)
{
    static uint64_t first[FORMS][WORDS], now[WORDS];
    int n = argc > 1 ? atoi(argv[1]) : 1;
    int is_first = 1;

    setvbuf(stdout, NULL, _IOLBF, 0);
    do {
        int differ = 0;

        for (int i = 0; i < n; i++) {
            for (int form = 0; form < FORMS; form++) {
                call(forms[form].function, now);
                if (is_first)
                    memcpy(first[form], now, sizeof(now));
                for (int word = 0; word < WORDS; word++) {
                    if (now[word] == first[form][word])
                        continue;
                    printf("%s: word %d is %#lx, was %#lx\n", forms[form].name, word, now[word],
                           first[form][word]);
                    differ = 1;
                }
            }
            is_first = 0;
        }
        puts(differ ? "different" : "same");
    } while (getchar() != EOF);
    return 0;
}
#else
int main(void)
{
    return 0;
}
#endif
