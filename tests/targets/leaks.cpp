// Leaks known blocks. For each line that it reads, allocates with every allocation function and
// frees a part of the blocks, and then prints "done". The line "small" also calls keep_small();
// "drop" frees all kept blocks instead; "exec" executes this program again. These are the blocks
// that each function keeps for a line, as number x bytes:
//
//     keep_malloc       10 x 1001    keep_calloc     11 x 1001    keep_realloc  12 x 5003
//     keep_array        13 x 1020    keep_memalign   14 x 1004    keep_aligned  15 x 1008
//     keep_new          16 x 333     keep_new_array  17 x 700     keep_text     9 x 900
//     keep_aligned_new  18 x 640     keep_small      20000 x 32   keep_grown    5 x 2000
//     lose_nothing      none
//
// build: -fno-builtin -Wno-unused-result -fno-omit-frame-pointer -fno-optimize-sibling-calls
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include <malloc.h>
#include <unistd.h>

#define NOIPA __attribute__((noipa))

struct alignas(64) Aligned {
    char bytes[640];
};
struct Plain {
    char bytes[333];
};

static void *kept[100000];
static int kept_count;
static volatile size_t max = SIZE_MAX;

static void keep(void *block)
{
    kept[kept_count++] = block;
}

NOIPA static void keep_malloc()
{
    for (int i = 0; i < 10; i++)
        keep(malloc(1001));
}
NOIPA static void keep_calloc()
{
    for (int i = 0; i < 11; i++)
        keep(calloc(7, 143));
}
NOIPA static void keep_realloc()
{
    for (int i = 0; i < 12; i++)
        keep(realloc(realloc(nullptr, 1002), 5003));
}
NOIPA static void keep_array()
{
    for (int i = 0; i < 13; i++)
        keep(reallocarray(malloc(10), 20, 51));
}
NOIPA static void keep_memalign()
{
    for (int i = 0; i < 14; i++) {
        void *block;
        if (posix_memalign(&block, i % 2 ? 8 : 256, 1004) == 0)
            keep(block);
    }
}
NOIPA static void keep_aligned()
{
    for (int i = 0; i < 15; i++)
        keep(aligned_alloc(16, 1008));
}
NOIPA static void keep_new()
{
    for (int i = 0; i < 16; i++)
        keep(new Plain);
}
NOIPA static void keep_new_array()
{
    for (int i = 0; i < 17; i++)
        keep(new char[700]);
}
NOIPA static void keep_aligned_new()
{
    for (int i = 0; i < 18; i++)
        keep(new Aligned);
}
NOIPA static void keep_text()
{
    const std::string text(899, 'x');
    for (int i = 0; i < 9; i++)
        keep(i % 3 ? strdup(text.c_str()) : strndup((text + "more").c_str(), 899));
}
NOIPA static void keep_small()
{
    for (int i = 0; i < 20000; i++)
        keep(malloc(32));
}
// If realloc() fails, the old block still exists.
NOIPA static void keep_grown()
{
    for (int i = 0; i < 5; i++) {
        void *block = malloc(2000);
        if (realloc(block, max / 2))
            abort();
        keep(block);
    }
}
NOIPA static void lose_nothing()
{
    for (int i = 0; i < 100; i++) {
        free(malloc(4001));
        delete new Plain;
        delete[] new char[4002];
        delete new Aligned;
        realloc(malloc(4003), max - SIZE_MAX);
        void *block = calloc(3, 5001);
        free(realloc(block, 4004));
        std::vector<int>(1000).push_back(1);
    }
    // These calls fail, and allocate nothing.
    malloc(max - 100);
    calloc(max / 2, 4);
    void *none;
    posix_memalign(&none, 3, 1011);
}

int main(int, char **arguments)
{
    setvbuf(stdin, nullptr, _IONBF, 0);
    setvbuf(stdout, nullptr, _IONBF, 0);
    puts("ready");
    for (char line[32]; fgets(line, sizeof(line), stdin);) {
        if (strcmp(line, "drop\n") == 0) {
            while (kept_count)
                free(kept[--kept_count]);
        } else if (strcmp(line, "exec\n") == 0) {
            execv("/proc/self/exe", arguments);
        } else {
            keep_malloc();
            keep_calloc();
            keep_realloc();
            keep_array();
            keep_memalign();
            keep_aligned();
            keep_new();
            keep_new_array();
            keep_aligned_new();
            keep_text();
            keep_grown();
            lose_nothing();
            if (strcmp(line, "small\n") == 0)
                keep_small();
        }
        puts("done");
    }
}
