#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Functions written in assembly may have symbols without a type or size. They are found and counted,
# and stacks name them rather than the symbol before them.
[ "$(uname -m)" = x86_64 ] || skip 'the assembly is for x86-64'
need_command gcc
cat >"$T/untyped.c" <<'C'
__asm__(
    ".text\n"
    ".globl bare\nbare: push %rbp\n mov %rsp,%rbp\n call getppid@plt\n pop %rbp\n ret\n"
    ".globl sized\nsized: push %rbp\n mov %rsp,%rbp\n call getppid@plt\n pop %rbp\n ret\n .size sized,.-sized\n"
    ".globl leaf\n leaf: lea 1(%rdi),%eax\n ret\n nop\n nop\n"
    ".globl table\ntable: .byte 15,14,13,12,11,10,9,8,7,6,5,4,3,2,1,0\n");
int bare(void), sized(void), leaf(int);
extern unsigned char table[16];
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 12; i++)
		sum += bare() != sized() || leaf(i) != i + 1 || table[3] != 12;
	return sum;
}
C
gcc -O1 "$T/untyped.c" -o "$T/untyped"
run_tool funccount "$T/untyped:bare" "$T/untyped:sized" "$T/untyped:leaf"
"$T/untyped" || fail "it ended with $?"
stop_tool INT
expect_status 0
for name in bare sized leaf; do
	expect_line "^$name +12$" "$tool_out"
done
# A breakpoint in the data table would change it.
run "$BIN/funccount" -d 1 "$T/untyped:table"
expect_status 1
expect_line "no function 'table'" "$tool_err"
run "$BIN/tplist" -l "$T/untyped" -f '*a*'
expect_status 0
expect_line '\bbare\b' "$tool_out"
expect_no_line '\btable\b' "$tool_out"

run_tool stackcount -U -f --comm untyped t:syscalls:sys_enter_getppid
"$T/untyped"
stop_tool INT
expect_line ';main;bare(;.*getppid)? 12$' "$tool_out"
expect_line ';main;sized(;.*getppid)? 12$' "$tool_out"
expect_no_line 'frame_dummy' "$tool_out"
