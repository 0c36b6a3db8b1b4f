/*
 * Signal handlers: nested ones, on their own stack, one that repairs a fault and continues, and one
 * for a breakpoint of the program itself.
 */
#define _GNU_SOURCE
#include "check.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile int level, faults, traps, ticks;
static char *page;

APART static int nest(int depth)
{
    level++;
    mix(depth);
    if (depth > 0)
        raise(depth % 2 ? SIGUSR1 : SIGUSR2);
    return --level;
}

static void on_user(int signal)
{
    mix(signal);
    nest(level < 8 ? 8 - level : 0);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    faults++;
    mprotect((void *)((uintptr_t)info->si_addr & ~4095ul), 4096, PROT_READ | PROT_WRITE);
}

static void on_trap(int signal)
{
    (void)signal;
    traps++;
}

static void on_tick(int signal)
{
    (void)signal;
    ticks++;
}

APART static unsigned touch(int at)
{
    page[at] = (char)at;
    return (unsigned char)page[at];
}

APART static int own_breakpoint(int value)
{
#ifdef __x86_64__
    __asm__ volatile("int3");
#else
    raise(SIGTRAP);
#endif
    return value + traps;
}

APART static int spin(int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += touch(i % 4096);
    return sum;
}

static char alternate[65536];

int main(int argc, char **argv)
{
    struct sigaction user = {.sa_handler = on_user, .sa_flags = SA_NODEFER | SA_ONSTACK};
    struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};

    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &user, NULL);
    sigaction(SIGUSR2, &user, NULL);
    sigaction(SIGSEGV, &fault, NULL);
    signal(SIGTRAP, on_trap);
    signal(SIGALRM, on_tick);
    page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < rounds(argc, argv); i++) {
        for (int n = 0; n < 10; n++) {
            mix(nest(n));
            mprotect(page, 4096, PROT_NONE);
            mix(touch(n));
            mix(own_breakpoint(n));
        }
        // Some of these signals arrive between a probe and the single step of its instruction.
        struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
        int wrong = 0, right = spin(300);
        setitimer(ITIMER_REAL, &often, NULL);
        for (int before = ticks; ticks < before + 20;)
            wrong += spin(300) != right;
        setitimer(ITIMER_REAL, &never, NULL);
        mix(right);
        mix(wrong);
    }
    mix(faults);
    mix(traps);
    return report("signals");
}
