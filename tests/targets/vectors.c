/*
 * Functions that begin with instructions which the kernel's uprobe code mistakes for others. At the
 * start and for each line that it reads, calls each of them once, and prints their results in a
 * line.
 *
 * build: -lm
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>

/* A function: the instruction to test, then one that converts its result to an int. */
#define FUNCTION(name, instructions)                                                 \
    __asm__(".globl " #name "\n.type " #name ",@function\n" #name ":\n" instructions \
            "\nret\n.size " #name ",.-" #name "\n");

FUNCTION(compare_bytes, "vpcmpeqb %xmm1,%xmm0,%xmm0\nvpmovmskb %xmm0,%eax")
FUNCTION(or_bits, "vpor %xmm1,%xmm0,%xmm0\nvmovd %xmm0,%eax")
FUNCTION(shuffle, "vpshufd $0x55,%xmm0,%xmm0\nvmovd %xmm0,%eax")
FUNCTION(compare_floats, "vcmpltps %xmm1,%xmm0,%xmm0\nvmovmskps %xmm0,%eax")
FUNCTION(multiply, "vfnmadd132sd %xmm0,%xmm1,%xmm0\nvcvttsd2si %xmm0,%eax")
FUNCTION(save_flags, "pushf\npop %rax\nand $1,%eax")
FUNCTION(processor_name, "cpuid")
FUNCTION(add_locked, "lock xaddl %esi,(%rdi)\nmov %esi,%eax")

int compare_bytes(__m128i, __m128i);
int or_bits(__m128i, __m128i);
int shuffle(__m128i);
int compare_floats(__m128, __m128);
int multiply(__m128d, __m128d);
int save_flags(void);
int add_locked(int *, int);

/* Returns the first four letters of the name of the CPU's manufacturer. */
static int processor_maker(void)
{
    int leaf = 0, letters, none = 0, more;

    __asm__ volatile("call processor_name" : "+a"(leaf), "=b"(letters), "+c"(none), "=d"(more));
    return letters;
}

__attribute__((target("avx2,fma"))) static void own(void)
{
    static int number;

    printf("%x %d %d %x %d %d %d %x ",
           compare_bytes(_mm_set1_epi8(3),
                         _mm_set_epi8(0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0, 3, 3, 3, 0)),
           or_bits(_mm_set1_epi32(8), _mm_set1_epi32(1)), shuffle(_mm_set_epi32(4, 3, 2, 1)),
           compare_floats(_mm_set1_ps(1), _mm_set_ps(2, 0, 2, 0)),
           multiply(_mm_set1_pd(3), _mm_set1_pd(2)), save_flags(), add_locked(&number, 0),
           processor_maker());
}
#else
static void own(void) {}
#endif

int main(void)
{
    char line[16], text[300];
    volatile double x = 2.5;
    volatile size_t length = sizeof(text) - 1; /* so that memset() is called, not inlined */

    setvbuf(stdout, NULL, _IOLBF, 0);
    do {
        own();
        memset(text, 'A', length);
        text[sizeof(text) - 1] = 0;
        text[40] = 'x';
        printf("%.3s %ld %ld %zu %d %.3f %.3f %.3f\n", text + 100, (long)(strchr(text, 'x') - text),
               (long)(strchrnul(text, 'y') - text), strlen(text), memcmp(text, text + 1, 39),
               pow(x, 3), exp(x), sin(x) + atan2(x, 2) + log(x));
    } while (fgets(line, sizeof(line), stdin));
    return 0;
}
