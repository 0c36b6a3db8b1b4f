#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# The tools find functions in compressed symbol tables, and name the frames of stacks from them.
need_command gcc eu-elfcompress
cat >"$T/packed.c" <<'C'
#include <unistd.h>
#define FUNCTION __attribute__((noipa)) void
volatile int sum;
FUNCTION seen(int n) { sum += n; }
FUNCTION by_many(int n) { for (int i = 0; i < n; i++) seen(i); sum++; }
int main(void) { by_many(30); return 0; }
C
gcc -O1 "$T/packed.c" -o "$T/packed"
cp "$T/packed" "$T/strings"
eu-elfcompress --force --permissive --type=zlib --name=.strtab --name=.symtab "$T/packed"
eu-elfcompress --force --permissive --type=zlib --name=.strtab "$T/strings"
for program in packed strings; do
	run_tool stackcount -f "$T/$program:seen"
	"$T/$program"
	stop_tool INT
	expect_status 0
	expect_line ";main;by_many;seen 30\$" "$tool_out"
	run "$BIN/tplist" -l "$T/$program" -f 'by_*'
	expect_line '\bby_many\b' "$tool_out"
done
