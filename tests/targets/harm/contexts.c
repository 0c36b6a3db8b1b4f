/*
 * Coroutines of the C library: nine of them switch to each other in the middle of nested calls, so
 * that calls return in another order than they began. In addition, setcontext() abandons a call.
 */
#include "check.h"

#include <ucontext.h>

enum { COROUTINES = 9, STEPS = 12 };

static ucontext_t main_context, contexts[COROUTINES];
static char stacks[COROUTINES][65536];
static int current;

APART static void hand_over(void)
{
    int from = current;

    current = (current * 4 + 1) % COROUTINES;
    if (current == from)
        current = (current + 1) % COROUTINES;
    swapcontext(&contexts[from], &contexts[current]);
}

APART static int nested(int depth, int self)
{
    int got = self * 100 + depth;

    if (depth > 0)
        got += nested(depth - 1, self);
    hand_over();
    mix(got);
    return got;
}

static int steps_left;
static void run(int self)
{
    for (;;) {
        mix(nested(self % 4, self));
        if (--steps_left <= 0)
            swapcontext(&contexts[self], &main_context);
    }
}

APART static int leave_by_setcontext(int depth, ucontext_t *to)
{
    if (depth == 0)
        setcontext(to);
    return leave_by_setcontext(depth - 1, to) + 1;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < rounds(argc, argv); i++) {
        steps_left = COROUTINES * STEPS;
        for (int n = 0; n < COROUTINES; n++) {
            getcontext(&contexts[n]);
            contexts[n].uc_stack.ss_sp = stacks[n];
            contexts[n].uc_stack.ss_size = sizeof(stacks[n]);
            contexts[n].uc_link = &main_context;
            makecontext(&contexts[n], (void (*)(void))run, 1, n);
        }
        current = 0;
        swapcontext(&main_context, &contexts[0]);

        ucontext_t here;
        volatile int times = 0;
        getcontext(&here);
        if (times++ < 10)
            leave_by_setcontext(times, &here);
        mix(times);
    }
    return report("contexts");
}
