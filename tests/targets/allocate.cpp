// For each line that it reads: allocates a known number of times with each allocation function,
// then prints "done". The tests expect the counts and sizes in allocate().
// build: -fno-builtin -Wno-unused-result
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

#include <malloc.h>

struct alignas(64) Aligned {
    char bytes[640];
};
struct Plain {
    char bytes[333];
};

static void *volatile kept;
static volatile size_t max = SIZE_MAX;

static void allocate()
{
    for (int i = 0; i < 10; i++)
        kept = malloc(1001);
    for (int i = 0; i < 11; i++)
        kept = calloc(7, 143);
    // realloc() of a null pointer allocates like malloc(); the second call may move the block.
    for (int i = 0; i < 12; i++)
        kept = realloc(realloc(nullptr, 1002), 50003);
    for (int i = 0; i < 13; i++) {
        void *block;
        if (posix_memalign(&block, i % 2 ? 8 : 256, 1004) == 0)
            kept = block;
    }
    for (int i = 0; i < 14; i++)
        kept = aligned_alloc(16, 1008);
    for (int i = 0; i < 5; i++)
        kept = memalign(64, 1009);
    for (int i = 0; i < 6; i++)
        kept = pvalloc(1010);
    // These sizes and alignments are impossible: the calls fail, and there is no block.
    kept = malloc(max - 100);
    kept = calloc(max / 2, 4);
    void *none;
    if (posix_memalign(&none, 3, 1011) == 0 || posix_memalign(&none, 4, 1012) == 0)
        kept = none;
    // The size is 0, so realloc() only frees.
    kept = realloc(malloc(1013), max - SIZE_MAX);
    for (int i = 0; i < 15; i++)
        kept = new Plain;
    for (int i = 0; i < 16; i++)
        kept = new Plain[3];
    for (int i = 0; i < 17; i++)
        kept = new Aligned;
    for (int i = 0; i < 18; i++)
        kept = new (std::nothrow) char[1005];
    // Blocks of one size from two functions: malloc() must not be confused with realloc().
    for (int i = 0; i < 19; i++) {
        void *block = realloc(malloc(1006), 1006);
        kept = malloc(1006);
        free(block);
    }
}

int main()
{
    setvbuf(stdin, nullptr, _IONBF, 0);
    setvbuf(stdout, nullptr, _IONBF, 0);
    puts("ready");
    for (int c; (c = getchar()) != EOF;) {
        if (c != '\n')
            continue;
        allocate();
        puts("done");
    }
}
