/*
 * Looks like a server to mysqlqueries: calls a function with the name and the arguments of
 * MariaDB's dispatch_command(), and prints the nanoseconds of processor time per call in the
 * fastest round.
 *
 *     flood-mysql CALLS [ROUNDS [PER_SECOND]]    with PER_SECOND, limits the rate of calls
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* flood.c explains the attributes. The symbol is the mangled C++ name in MariaDB. */
__attribute__((noipa, patchable_function_entry(1))) int dispatch_command(
    int command, void *thd, char *packet, unsigned length,
    _Bool blocking) __asm__("_Z16dispatch_command19enum_server_commandP3THDPcjb");
int dispatch_command(int command, void *thd, char *packet, unsigned length, _Bool blocking)
{
    return command + length + !thd + !packet + blocking;
}

static double now_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

int main(int argc, char **argv)
{
    static char thd[64], text[] = "select a, b, c from some_table where a = 12345 and b = 'text'";
    long calls = argc > 1 ? atol(argv[1]) : 100000;
    long rounds = argc > 2 ? atol(argv[2]) : 1;
    double pause_ns = argc > 3 ? 1e9 / atof(argv[3]) : 0, best = 0;

    for (long round = 0; round < rounds; round++) {
        double start = now_ns(CLOCK_MONOTONIC), used = now_ns(CLOCK_PROCESS_CPUTIME_ID);
        for (long i = 0; i < calls; i++) {
            dispatch_command(3, thd, text, sizeof(text) - 1, 1);
            while (pause_ns && now_ns(CLOCK_MONOTONIC) < start + i * pause_ns)
                ;
        }
        double cost = (now_ns(CLOCK_PROCESS_CPUTIME_ID) - used) / calls;
        if (round == 0 || cost < best)
            best = cost;
    }
    printf("%.2f\n", best);
    return 0;
}
