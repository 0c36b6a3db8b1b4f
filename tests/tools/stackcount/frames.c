/* Calls getppid() through frames of different kinds: of a size that the code computes, with
 * arguments on the stack and, with -DALIGNED, aligned. */
#include <alloca.h>
#include <string.h>
#include <unistd.h>
volatile long sum;
volatile char *place;
#define FUNCTION __attribute__((noipa)) void
FUNCTION leafy(int i)
{
    sum += getppid() + i;
}
FUNCTION grows(int i)
{
    place = alloca(16 + i % 200);
    memset((void *)place, 1, 16);
    leafy(i);
    sum += place[3];
}
#ifdef ALIGNED
__attribute__((force_align_arg_pointer)) FUNCTION aligned(int n)
{
    char space[n + 1] __attribute__((aligned(128)));
    space[n] = 1;
    grows(n);
    sum += space[n];
}
#else
#define aligned grows
#endif
FUNCTION many(int a, int b, int c, int d, int e, int f, int g, long h, long k)
{
    long x[40];
    x[a % 40] = g + h + c + d + e + f;
    place = (char *)x;
    aligned(a);
    sum += x[b % 40] + k;
}
FUNCTION top(int n)
{
    for (int i = 0; i < n; i++)
        many(i, 2, 3, 4, 5, 6, 7, i, 9);
    sum++;
}
int main()
{
    top(400);
    sum++;
}
