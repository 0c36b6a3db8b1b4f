// takes_over() ends with a jump to taken_over(), or, at every second call, with an exception.
//
//     left_by_tail N
//
// Calls takes_over() N times, and after each call also taken_over() alone. Prints a sum.
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
