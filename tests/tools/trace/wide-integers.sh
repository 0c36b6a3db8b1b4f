#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# 16-byte integers cannot be used in calculations: each error says how to read their halves, which
# works.
[ "$(uname -m)" = x86_64 ] || skip 'the registers are for x86-64'
need_command cc
cat >"$T/wide.c" <<'END'
struct wide { int first; __int128 number; };
__attribute__((noinline)) int show(struct wide *w, __int128 n) { return w->number == n; }
int main(void)
{
	struct wide w = {1, (__int128)0x1122 << 64 | 0x3344};
	return show(&w, (__int128)0x55 << 64 | 0x66) != 0;
}
END
cc -g -o "$T/wide" "$T/wide.c"
refused() { # EXPRESSION WANTED
	run "$BIN/trace" "$T/wide:show \"%lx\", $1"
	expect_status 2
	expect_line "$2" "$tool_err"
}
refused 'w->number' '^trace: cannot calculate with __int128: it has 16 bytes; .* as in \*\(unsigned long \*\)\(arg1 \+ 16\)$'
refused 'n' '^trace: n: .* its parts are arg2 and arg3$'
run "$BIN/trace" "$T/wide:show \"%lx %lx %lx %lx\", *(unsigned long *)(arg1 + 16), *(unsigned long *)(arg1 + 24), arg2, arg3" \
	--exec -- "$T/wide"
expect_status 0
expect_line ' 3344 1122 66 55$' "$tool_out"
