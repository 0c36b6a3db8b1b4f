/*
 * Has the USDT probes of Node.js, Perl and Tcl, with the same arguments, because no distribution
 * builds these with probes. If it is copied to a name such as "perl5.36", tools take it for Perl.
 * For each word that it reads, fires some probes a known number of times, and prints "done".
 */
#include <stdio.h>
#include <string.h>
#include <sys/sdt.h>

static void collect(void)
{
    for (int flags = 1; flags <= 3; flags++) {
        STAP_PROBE3(node, gc__start, flags, 0, NULL);
        STAP_PROBE3(node, gc__done, flags, 0, NULL);
    }
}

/* As in Tcl: one function calls all procs, and contains this probe twice. */
static __attribute__((noinline)) void enter_proc(const char *name)
{
    STAP_PROBE3(tcl, proc__entry, name, 0, NULL);
    STAP_PROBE3(tcl, proc__entry, name, 0, NULL);
}

/*
 * Fires the probes for 10 calls of outer(), each with 50 calls of leaf(). Every second outer() is
 * ended by an error, and has no return.
 */
static void calls(void)
{
    for (int i = 0; i < 10; i++) {
        STAP_PROBE4(perl, sub__entry, "outer", "x.pl", 7, "Octi");
        enter_proc("outer");
        for (int j = 0; j < 50; j++) {
            STAP_PROBE4(perl, sub__entry, "leaf", "x.pl", 3, "Octi");
            STAP_PROBE4(perl, sub__return, "leaf", "x.pl", 3, "Octi");
            enter_proc("leaf");
            STAP_PROBE2(tcl, proc__return, "leaf", 0);
        }
        if (i % 2)
            continue;
        STAP_PROBE4(perl, sub__return, "outer", "x.pl", 7, "Octi");
        STAP_PROBE2(tcl, proc__return, "outer", 0);
    }
}

static void objects(void)
{
    for (int i = 0; i < 70; i++)
        STAP_PROBE1(tcl, obj__create, &i);
}

int main(void)
{
    char word[64];

    setvbuf(stdout, NULL, _IONBF, 0);
    puts("ready");
    while (fgets(word, sizeof(word), stdin)) {
        if (strcmp(word, "collect\n") == 0)
            collect();
        else if (strcmp(word, "calls\n") == 0)
            calls();
        else if (strcmp(word, "objects\n") == 0)
            objects();
        puts("done");
    }
}
