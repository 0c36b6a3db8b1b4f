#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# JIT code without frame pointers, like LLVM's, in a program with frame pointers and in one without:
# the stack has the function that calls it. Its name is in a jitdump that the process maps.
[ "$(uname -m)" = x86_64 ] || skip 'the code is for x86-64'
need_command gcc
cat >"$T/frames.c" <<'C'
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static long (*code)(void *);
static volatile long sum;
#define FUNCTION __attribute__((noipa)) void
FUNCTION seen(void) { sum++; }
FUNCTION caller(void) { sum += code(seen); sum++; }
FUNCTION middle(void) { caller(); sum++; }
FUNCTION outer(void) { middle(); sum++; }
int main(int argc, char **argv)
{
	/* endbr64; push %rbx; sub $0x30,%rsp; mov %rdi,8(%rsp); call *8(%rsp); mov 8(%rsp),%rbx; add $0x30,%rsp; pop %rbx; ret */
	static const unsigned char bytes[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x53, 0x48, 0x83, 0xec, 0x30, 0x48, 0x89, 0x7c, 0x24,
		0x08, 0xff, 0x54, 0x24, 0x08, 0x48, 0x8b, 0x5c, 0x24, 0x08, 0x48, 0x83, 0xc4, 0x30, 0x5b, 0xc3};
	struct { uint32_t magic, version, bytes, machine, pad, pid; uint64_t time, flags; }
		header = {0x4A695444, 1, sizeof header, 62, 0, getpid()};
	struct { uint32_t kind, bytes; uint64_t time; uint32_t pid, tid; uint64_t vma, address, size, number; char name[16]; }
		record = {0, sizeof record + sizeof bytes, 0, getpid(), getpid(), 0, 0, sizeof bytes, 1, "evalexpr_0_42x"};
	void *at = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[256];

	memcpy(at, bytes, sizeof bytes);
	mprotect(at, 4096, PROT_READ | PROT_EXEC);
	code = (long (*)(void *))at;
	record.vma = record.address = (uint64_t)at;
	record.name[15] = 0;
	memset(record.name + 14, 0, 2);
	snprintf(path, sizeof path, "%s/jit-%d.dump", argv[1], getpid());
	int dump = open(path, O_CREAT | O_RDWR, 0600);
	if (write(dump, &header, sizeof header) < 0 || write(dump, &record, sizeof record - 1) < 0 || write(dump, "", 1) < 0 ||
	    write(dump, bytes, sizeof bytes) < 0 || mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump, 0) == MAP_FAILED)
		return 1;
	for (int i = 0; i < 50; i++)
		outer();
	puts("done");
	fflush(stdout);
	getchar();
	return 0;
}
C
mkfifo "$T/lines"
exec {lines}<>"$T/lines"
for option in -fno-omit-frame-pointer -fomit-frame-pointer; do
	program=frames${option%%-frame*}
	gcc -O1 "$option" -o "$T/$program" "$T/frames.c"
	run_tool stackcount -f "$T/$program:seen"
	# The process lives until its stacks have been completed: its code disappears with it.
	stdin=$T/lines start_target_and_wait "$T/$program" "$T"
	stop_tool INT
	expect_status 0
	echo >&"$lines"
	wait_for "! alive $target_pid" 10
	expect_line '^[^ ]*;main;outer;middle;caller;evalexpr_0_42x;seen 50$' "$tool_out"
	expect_equal "$(wc -l <"$tool_out")" 1
done
