/*
 * USDT probes whose notes are written by hand, with operands of every form and known values.
 *
 *     operands [ROUNDS]      ROUNDS times (default 1): fires all probes in order, and prints the
 *                            semaphore of the probe `counted`
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A probe: a nop, and the note that describes it. */
#define PROBE(name, arguments) PROBE_WITH("0", name, arguments)
#define PROBE_WITH(semaphore, name, arguments)                     \
    "990: nop\n"                                                   \
    ".pushsection .note.stapsdt,\"?\",\"note\"\n"                  \
    ".balign 4\n"                                                  \
    ".4byte 992f-991f, 994f-993f, 3\n"                             \
    "991: .asciz \"stapsdt\"\n"                                    \
    "992: .balign 4\n"                                             \
    "993: .8byte 990b, _.stapsdt.base, " semaphore                 \
    "\n"                                                           \
    ".asciz \"operand\"\n.asciz \"" name "\"\n.asciz \"" arguments \
    "\"\n"                                                         \
    "994: .balign 4\n"                                             \
    ".popsection\n"

__asm__(
    ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
    ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"
    "_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n"
    ".popsection\n");

__attribute__((section(".probes"), used)) volatile unsigned short operand_counted_semaphore;

__attribute__((used)) struct {
    int64_t first, second;
    int32_t small[2];
    uint8_t bytes[8];
    const char *text;
} operand_table = {
    -2, 0x7fffffffffffffff, {-3, 4}, {0xff, 0x80, 0x7f, 0, 1, 2, 3, 4}, "in a table"};
__attribute__((used)) static int operand_hidden = -77;
__attribute__((used)) static const char operand_word[] = "word";

#ifdef __x86_64__

void fire(void);
__asm__(".text\n.globl fire\n.type fire, @function\n"
	"fire:\n"
	"push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
	"pushq $-5\npushq $6\npushq $7\n"
	"mov $0x3ff8000000000000, %rax\n" /* 1.5 */
	"movq %rax, %xmm0\n"
	"mov $0x40200000, %ecx\n" /* 2.5 */
	PROBE("doubles", "8@%rax -4@%ecx")
	"lea operand_table(%rip), %rbx\n"
	"mov %rbx, %rdx\nshr $3, %rdx\n"
	"mov $2, %ecx\n"
	"lea 24(%rbx), %rbp\n"
	"mov $0x8877665544332211, %rax\n"
	"mov $0xffeeddccbbaa9988, %rsi\n"
	"lea operand_word(%rip), %rdi\n"
	"mov $0x80818283f4f5f6f7, %r8\n"
	"mov $9, %r9d\nmov $-10, %r10\nmov $11, %r11d\nmov $-12, %r12d\nmov $13, %r13d\nmov $-14, %r14\nmov $15, %r15d\n"
	/* parts of registers, signed and not */
	PROBE("a", "1@%al 1@%ah 2@%ax 4@%eax 8@%rax")
	PROBE("si", "1@%sil 2@%si 4@%esi 8@%rsi -1@%sil -2@%si -4@%esi -8@%rsi")
	PROBE("r8", "1@%r8b 2@%r8w 4@%r8d 8@%r8 -1@%r8b -2@%r8w -4@%r8d -8@%r8")
	PROBE("r9to15", "8@%r9 -8@%r10 8@%r11 -4@%r12d 8@%r13 -8@%r14 8@%r15")
	PROBE("others", "4@%ecx 8@%rdx 8@%rbx 8@%rbp 8@%rsp 8@%rdi 1@%cl 1@%dil 1@%bpl 1@%ch")
	/* memory: displacement, base, index, scale */
	PROBE("base", "-8@(%rbx) 8@8(%rbx) -4@16(%rbx) -4@0x14(%rbx) 1@(%rbp) -1@(%rbp) -1@1(%rbp) -1@2(%rbp) -4@-8(%rbp)")
	PROBE("stack", "8@(%rsp) -8@8(%rsp) -8@16(%rsp) -4@16(%rsp)")
	PROBE("index", "-4@(%rbx,%rcx,8) -4@4(%rbx,%rcx,8) -8@-16(%rbx,%rcx,8) 1@22(%rbx,%rcx)")
	PROBE("baseless", "-8@(,%rdx,8) -8@8(,%rdx,8) -4@16(,%rdx,8) -4@operand_table(,%rcx,8) -4@operand_table+4(,%rcx,8)")
	/* by name, relative to the program counter */
	PROBE("name", "-4@operand_hidden(%rip) -8@operand_table(%rip) -4@operand_table+16(%rip) -4@20+operand_table(%rip) 8@32+operand_table(%rip)")
	PROBE("constant", "-4@$-5 4@$5 8@$9223372036854775806 -1@$-128 1@$255 -8@$-9223372036854775808 2@$0xffff")
	/* what cannot be shown takes nothing from its neighbours */
	PROBE("odd", "8@%rcx 8f@%xmm0 8@%xmm0 16@%rax 24@8(%rsp) 4@%nonsense 8@no_such_symbol(%rip) -4@$-5")
	PROBE("string", "8@%rdi 8@32(%rbx) 8@$4")
	PROBE("none", "")
	PROBE("twelve", "-4@$-1 -4@$2 -4@$-3 -4@$4 -4@$-5 -4@$6 -4@$-7 -4@$8 -4@$-9 -4@$10 -4@$-11 -8@%r14")
	PROBE("it's", "4@$39")
	PROBE("\\\"in quotes\\\"", "4@$40")
	PROBE("\\\"both'\\\" [kinds]", "4@$41")
	/* one probe in places where its arguments lie elsewhere */
	PROBE("places", "-4@$1 8@%rdi")
	PROBE("places", "4@%ecx 8@32(%rbx)")
	PROBE("places", "-8@%r10 8@%rdi")
	PROBE("fewer", "4@$1 4@$2")
	PROBE("fewer", "4@$3")
	PROBE_WITH("operand_counted_semaphore", "counted", "4@operand_counted_semaphore(%rip) 8@%rdi")
	"add $24, %rsp\n"
	"pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\n"
	"ret\n.size fire, .-fire\n");

#else /* arm64: the same values */

#define ADDRESS_OF(name, into) "adrp " into ", " name "\nadd " into ", " into ", :lo12:" name "\n"

void fire(void);
__asm__(".text\n.globl fire\n.type fire, %function\n"
	"fire:\n"
	"stp x29, x30, [sp, #-96]!\nmov x29, sp\n"
	"stp x19, x20, [sp, #16]\nstp x21, x22, [sp, #32]\n"
	"mov x1, #7\nmov x2, #6\nmov x3, #-5\n"
	"stp x1, x2, [sp, #-32]!\nstr x3, [sp, #16]\n"
	"fmov d0, #1.5\n"
	"fmov x1, d0\n"
	"mov w2, #0x40200000\n" /* 2.5 */
	PROBE("doubles", "8@x1 -4@w2")
	ADDRESS_OF("operand_table", "x19")
	ADDRESS_OF("operand_hidden", "x21")
	ADDRESS_OF("operand_counted_semaphore", "x22")
	ADDRESS_OF("operand_word", "x0")
	"add x20, x19, #24\n"
	"ldr x1, =0xffeeddccbbaa9988\n"
	"mov x2, #2\nmov x3, #16\n"
	"ldr x8, =0x80818283f4f5f6f7\n"
	"mov x9, #9\nmov x10, #-10\nmov w11, #-11\n"
	/* parts of registers, signed and not */
	PROBE("si", "1@w1 2@w1 4@w1 8@x1 -1@w1 -2@w1 -4@w1 -8@x1")
	PROBE("r8", "1@w8 2@w8 4@w8 8@x8 -1@w8 -2@w8 -4@w8 -8@x8")
	PROBE("others", "8@x9 -8@x10 -4@w11 8@sp 8@x29 8@x30")
	/* memory: displacement, index, shift */
	PROBE("base", "-8@[x19] 8@[x19, 8] -4@[x19, #16] -4@[x19, 0x14] 1@[x20] -1@[x20] -1@[x20, 1] -1@[x20, 2] -4@[x20, -8]")
	PROBE("stack", "8@[sp] -8@[sp, 8] -8@[sp, 16] -4@[sp, 16]")
	PROBE("index", "-4@[x19, x2, lsl 3] -4@[x20, -4] -8@[x19] 1@[x20]")
	PROBE("by_register", "-4@[x19, x3] -4@[x19, x2, lsl #3]")
	PROBE("name", "-4@[x21] -8@[x19] -4@[x19, 16]")
	PROBE("constant", "-4@-5 4@#5 8@9223372036854775806 -1@-128 1@255 -8@-9223372036854775808 2@0xffff")
	/* what cannot be shown takes nothing from its neighbours */
	PROBE("odd", "8@x2 8f@d0 16@x1 4@nonsense -4@-5")
	PROBE("string", "8@x0 8@[x19, 32] 8@4")
	PROBE("none", "")
	PROBE("twelve", "-4@-1 -4@2 -4@-3 -4@4 -4@-5 -4@6 -4@-7 -4@8 -4@-9 -4@10 -4@-11 -8@x10")
	/* one probe in places where its arguments lie elsewhere */
	PROBE("places", "-4@1 8@x0")
	PROBE("places", "4@w2 8@[x19, 32]")
	PROBE("places", "-8@x10 8@x0")
	PROBE("fewer", "4@1 4@2")
	PROBE("fewer", "4@3")
	PROBE_WITH("operand_counted_semaphore", "counted", "4@[x22] 8@x0")
	"add sp, sp, #32\n"
	"ldp x19, x20, [sp, #16]\nldp x21, x22, [sp, #32]\n"
	"ldp x29, x30, [sp], #96\n"
	"ret\n.ltorg\n.size fire, .-fire\n");

#endif

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 1;

    for (long i = 0; i < rounds; i++) {
        fire();
        printf("%u\n", operand_counted_semaphore);
        fflush(stdout);
        if (rounds > 1)
            usleep(10000);
    }
    return 0;
}
