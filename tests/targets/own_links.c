/*
 * A library whose functions jump to each other in ways that let other files replace them.
 *
 * build: -shared -fPIC -fcf-protection=none
 */
#define TRACED __attribute__((noipa))

TRACED long linked(long n)
{
    return n > 3 ? n * 3 : n * 5;
}

TRACED __attribute__((noplt)) long linked_without_stub(long n)
{
    return n * 7;
}

/* `jmp linked@plt` */
TRACED long by_stub(long n)
{
    return linked(n + 1);
}

/* `je linked@plt` */
TRACED long by_stub_at_times(long n, long *to)
{
    if (n == 0)
        return linked(n);
    *to = n;
    return n + 1;
}

/* `jmp *linked_without_stub@GOTPCREL(%rip)` */
TRACED long by_slot(long n)
{
    return linked_without_stub(n + 1);
}

extern long elsewhere(long n);

/* Of another file: it returns there. */
TRACED long leaves(long n)
{
    return elsewhere(n + 1);
}
