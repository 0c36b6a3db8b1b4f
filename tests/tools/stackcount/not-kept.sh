#!/bin/bash
# alone: the tool has to keep up with 70,000 stacks
source "$(dirname "$0")/../../lib.sh"
need_command gcc
[ "$(uname -m)" = x86_64 ] || skip 'its machine code is for x86-64'

# The tool keeps at most 65,536 stacks that it has to walk itself. Further ones are counted under
# their own reason. Here each call comes from a new address.
cat >"$T/places.c" <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
__attribute__((noipa)) void work(void) { __asm__ volatile(""); }
int main(void)
{
	enum { PLACES = 70000, BYTES = 16 };
	/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
	static const char place[] = "\x55\x48\x89\xe5\xff\xd7\x5d\xc3";
	char *code = mmap(NULL, PLACES * BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < PLACES; i++)
		memcpy(code + i * BYTES, place, sizeof(place));
	for (int i = 0; i < PLACES; i++) {
		((void (*)(void (*)(void)))(code + i * BYTES))(work);
		if (i % 64 == 0)
			usleep(1000); /* else too many were to be walked at once */
	}
}
C
gcc -O1 -fno-omit-frame-pointer -o "$T/places" "$T/places.c"
run_tool stackcount --json --stacks 80000 "$T/places:work"
"$T/places"
stop_tool INT
expect_status 0
lost=$(grep -F '"user_stack":["[not kept: too many were walked by the tool]"]' "$tool_out" | grep -o '"count":[0-9]*' | cut -d : -f 2)
[ "${lost:-0}" -gt 1000 ] || fail "only $lost were not kept: $(cat "$tool_err")"
reason='the tool keeps at most 65536 of the stacks that it walks itself'
expect_line "^\{\"type\":\"lost\",\"time_ns\":[0-9]+,\"count\":$lost,\"what\":\"stacks\",\"reason\":\"$reason\"\}\$" "$tool_out"
expect_line "^stackcount: $lost events are counted without their stack: $reason\$" "$tool_err"
