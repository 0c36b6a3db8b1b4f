// A function that another one takes over from, unless it is left by an exception:   left_by_tail N
//
// The program calls it N times, which throws each second time, and the other one by itself. It prints a sum.
//
// build: -O2
#include <cstdio>
#include <cstdlib>

#define TRACED extern "C" __attribute__((noipa))

TRACED long taken_over(long n)
{
    return n * 3;
}

TRACED long takes_over(long n)
{
    if (n % 2)
        throw n;
    return taken_over(n + 1);  // `jmp taken_over`
}

int main(int, char **argv)
{
    long sum = 0;
    for (long n = 0; n < atol(argv[1]); n++) {
        try {
            sum += takes_over(n);
        } catch (long thrown) {
            sum += thrown;
        }
        sum += taken_over(n);
    }
    printf("%ld\n", sum);
}
