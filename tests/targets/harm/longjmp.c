/*
 * longjmp() over frames of this program and of the C library, and out of signal handlers that run
 * on their own stack.
 */
#include "check.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>

static jmp_buf back;
static sigjmp_buf out;

APART static int dive(int depth)
{
    volatile char frame[64];

    memset((char *)frame, depth, sizeof(frame));
    if (depth == 0)
        longjmp(back, frame[3] + 7);
    return dive(depth - 1) + frame[5];
}

APART static int compare(const void *a, const void *b)
{
    if (*(const int *)a == 6)
        longjmp(back, 99);
    return *(const int *)a - *(const int *)b;
}

APART static void fault(int depth)
{
    if (depth == 0)
        *(volatile int *)8 = 1;
    else
        fault(depth - 1);
    mix(depth);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    (void)context;
    mix(signal + (info->si_addr == (void *)8));
    siglongjmp(out, signal);
}

static char alternate[65536];

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};

    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &action, NULL);
    for (int i = 0; i < rounds(argc, argv); i++) {
        for (volatile int depth = 0; depth < 40; depth++) {
            int got = setjmp(back);
            if (got == 0)
                dive(depth);
            mix(got + depth);
        }
        for (volatile int n = 0; n < 10; n++) {
            int values[] = {5, 3, 9, 6, 7, 2};
            if (setjmp(back) == 0)
                qsort(values, 6, sizeof(int), compare);
            else
                mix(n);
            if (sigsetjmp(out, 1) == 0)
                fault(n);
            else
                mix(n * 2);
        }
    }
    return report("longjmp");
}
