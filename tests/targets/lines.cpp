// build: -g1
//
// With -g1, the debug information has functions and lines, but no parameters and no result types.
#include <cstdio>

extern "C" __attribute__((noipa)) int add(int a, int b)
{
    return a + b;
}

int main()
{
    printf("%d\n", add(181, 2));
}
