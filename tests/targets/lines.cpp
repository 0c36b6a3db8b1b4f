// build: -g1
//
// Debug information of lines alone: it knows the functions, but neither their parameters nor results.
#include <cstdio>

extern "C" __attribute__((noipa)) int add(int a, int b)
{
    return a + b;
}

int main()
{
    printf("%d\n", add(181, 2));
}
