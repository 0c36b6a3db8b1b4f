#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Clang's callers do not pass arguments that a function does not use: the tool reports this instead
# of showing the register's content. arg2 also has the sign of an int parameter.
need_command clang gcc
cat >"$T/unpassed.c" <<'C'
volatile long sink;
static __attribute__((noinline)) void local(long m, long n) { sink += m; }
__attribute__((noinline)) void exported(long m, long n) { sink += m; }
__attribute__((noinline)) void below(long m, int n) { sink += m + n; }
int main(int argc, char **argv)
{
	for (int i = 0; i < 5; i++) {
		local(i, 1000);
		exported(i, 1000);
		below(i, i - 3 * argc);
	}
	return 0;
}
C
clang -O2 -g "$T/unpassed.c" -o "$T/unpassed"
for function in local exported; do
	run "$BIN/trace" "$T/unpassed:$function \"%d\", n" --exec -- "$T/unpassed"
	expect_status 2
	expect_line 'n: an argument that the compiler removed or changed' "$tool_err"
	run "$BIN/trace" "$T/unpassed:$function \"m=%d\", m" --exec -- "$T/unpassed"
	expect_status 0
	expect_count 5 'm=[0-4]$' "$tool_out"
done
run "$BIN/trace" "$T/unpassed:below (arg2 < 0) \"%d %d\", arg1, arg2" --exec -- "$T/unpassed"
expect_status 0
expect_equal "$(awk '/below/ { print $(NF - 1), $NF }' "$tool_out")" $'0 -3\n1 -2\n2 -1'

# A function that returns an object in memory receives the object's address as first argument: the
# tool mentions this when parameters are numbered.
cat >"$T/result.c" <<'C'
struct large { long words[4]; };
__attribute__((noipa)) struct large make(long first) { return (struct large){{first, 2, 3, 4}}; }
__attribute__((noipa)) long small(long first) { return first; }
int main(void) { return make(77).words[1] != small(2); }
C
gcc -O2 -g "$T/result.c" -o "$T/result"
run "$BIN/trace" "$T/result:make \"first=%d %d\", first, arg2" --exec -- "$T/result"
expect_status 0
expect_count 1 'first=77 77$' "$tool_out"
expect_equal "$(cat "$tool_err")" "trace: make(long int first): arg1 points to the result's memory; parameters start at arg2"
for quiet in "$T/result:make \"%d\", first" "$T/result:small \"%d\", arg1"; do
	run "$BIN/trace" "$quiet" --exec -- "$T/result"
	expect_status 0
	expect_equal "$(cat "$tool_err")" ''
done
