#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# $func and $probe in formats, conditions and keys; $elapsed.
values=$TARGETS/values
run "$BIN/trace" -q "$values:[sp]u[mt] \"%s|%s\", \$func, \$probe" --exec -- "$values"
expect_status 0
expect_equal "$(sed -nE "s/.* (sum|put)  *(.*)\$/\\1 \\2/p" "$tool_out" | sed "s|$values|P|" | sort | uniq -c | sed 's/^ *//')" \
	'2 put put|P:[sp]u[mt] "%s|%s", $func, $probe
2 sum sum|P:[sp]u[mt] "%s|%s", $func, $probe'
run "$BIN/trace" -q "$values:[sp]u[mt] (\$func == \"sum\") \"\"" "$values:[sp]u[mt] (!starts_with(\$func, \"s\") && ends_with(\$func, \"t\")) \"\"" \
	"u:$TARGETS/operands:none \"%s\", \$func" --exec -- "$values"
expect_equal "$(awk '{ print $4 }' "$tool_out" | sort | uniq -c | xargs)" '2 put 2 sum'

run_tool argdist -C "p:$values:[sp]u[mt]():char*:\$func" --sum arg1
"$values" >/dev/null
stop_tool INT
expect_equal "$(sed -nE 's/^	([0-9]+).*\$func = /\1 /p' "$tool_out" | sort | xargs)" '2 put 2 sum'

# Time since the tool's start, in nanoseconds.
start_target_and_wait "$TARGETS/flood" 1 100000 10
run "$BIN/trace" -q -M 40 -p "$target_pid" "$TARGETS/flood:flood \"%d\", \$elapsed"
awk 'NR == 1 { first = $NF } { last = $NF } END { exit !(first > 0 && last - first >= 390000000 && last < 60e9) }' "$tool_out" ||
	fail "not increasing: $(head -n 1 "$tool_out") $(tail -n 1 "$tool_out")"

# More functions than can be distinguished.
{
	for i in {1..70}; do echo "__attribute__((noipa)) void f$i(int a) { __asm__ volatile(\"\" ::\"r\"(a)); }"; done
	echo 'int main(void) { f1(1); }'
} >"$T/many.c"
gcc -o "$T/many" "$T/many.c"
run "$BIN/trace" "$T/many:f[0-9]* \"%s\", \$func"
expect_status 2
expect_line '^trace: \$func: 70 functions are traced, at most 63 can be distinguished' "$tool_err"
