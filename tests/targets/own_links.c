/*
 * A library whose functions jump to each other through the PLT or the GOT, as the code for symbols
 * does that another file may replace.
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

/* Ends with `jmp linked@plt`. */
TRACED long by_stub(long n)
{
    return linked(n + 1);
}

/* Ends with `je linked@plt`, or returns itself. */
TRACED long by_stub_at_times(long n, long *to)
{
    if (n == 0)
        return linked(n);
    *to = n;
    return n + 1;
}

/* Ends with `jmp *linked_without_stub@GOTPCREL(%rip)`. */
TRACED long by_slot(long n)
{
    return linked_without_stub(n + 1);
}

extern long elsewhere(long n);

/* Jumps to a function of another file, which returns for leaves(). */
TRACED long leaves(long n)
{
    return elsewhere(n + 1);
}
