// Functions that reach their returns by a jump table, by the address of a label, or by catching an
// exception.
//
//     tables [N]
//
// Calls each of them N times (default 1) and prints the sum of their results.
//
// build: -fcf-protection=none -fno-stack-protector
#include <cstdio>
#include <cstdlib>

#define TRACED extern "C" __attribute__((noipa))

TRACED long plain(long n)
{
    return n * 3;
}

TRACED long throws(long n)
{
    if (n % 2)
        throw n;
    return n;
}

// Returns only in its catch block, to which no instruction jumps.
TRACED long catches(long n)
{
    for (;;) {
        try {
            n += throws(n) + 1;
        } catch (long thrown) {
            if (plain(thrown) != 5)
                return thrown;
        }
    }
}

// Jumps to the addresses of its labels, as interpreters do. It has a stack frame.
TRACED long interprets(long n)
{
    static const void *const labels[] = {&&add, &&twice, &&negate, &&end, &&half};
    long results[8] = {n}, *result = results;
    goto *labels[n % 5];
add:
    *result += plain(n);
    goto *labels[*result % 2 + 3];
twice:
    return plain(plain(*result));
negate:
    return -plain(*result);
half:
    return plain(*result / 2);
end:
    return *result;
}

// The same without a stack frame.
TRACED long jumps(long n)
{
    static const void *const labels[] = {&&one, &&two, &&three, &&four};
    goto *labels[n & 3];
one:
    return n + 1;
two:
    return n * 5;
three:
    return -n;
four:
    return n ^ 9;
}

#if defined(__x86_64__)
// Has data between its cases: bytes with the value of `ret` (0xc3), which are not instructions.
asm(R"(
	.text
	.globl data_inside
	.type data_inside, @function
data_inside:
	.cfi_startproc
	and $1, %edi
	lea .Ltable(%rip), %rax
	movslq (%rax,%rdi,4), %rdx
	add %rax, %rdx
	jmp *%rdx
.Lnumber:
	.byte 0xc3, 0xc3, 0xc3, 0xc3
.Lfirst:
	mov .Lnumber(%rip), %eax
	ret
.Lsecond:
	mov $7, %eax
	ret
	.cfi_endproc
	.size data_inside, .-data_inside
	.section .rodata
	.balign 4
.Ltable:
	.long .Lfirst - .Ltable, .Lsecond - .Ltable
	.text
)");
extern "C" long data_inside(long n);
#else
TRACED long data_inside(long n)
{
    return n & 1 ? 7 : 0xc3c3c3c3;
}
#endif

int main(int argc, char **argv)
{
    long calls = argc > 1 ? atol(argv[1]) : 1, sum = 0;

    for (long n = 0; n < calls; n++)
        sum += catches(n) + interprets(n) + jumps(n) + data_inside(n);
    printf("%ld\n", sum);
}
