#!/bin/bash
# alone: it puts probes on all functions of the C library
source "$(dirname "$0")/../../lib.sh"

# Functions whose first instruction the kernel would mistake for another one keep working. Calls are
# counted if a probe after that instruction does as well; otherwise the function is named as
# skipped.
grep -qw fma /proc/cpuinfo || skip 'this CPU has no FMA'
target=$TARGETS/vectors
mkfifo "$T/in"
exec 8<>"$T/in"
stdin=$T/in start_target_and_wait "$target"
wanted=$(cat "$target_out")

# With every function traced once, the results are the same.
expect_same() {
	local lines
	lines=$(wc -l <"$target_out")
	echo >&8
	wait_for "[ \$(wc -l <'$target_out') -gt $lines ] || ! alive $target_pid" 20
	alive "$target_pid" || fail 'the program has ended'
	expect_equal "$(tail -n 1 "$target_out")" "$wanted"
}

run_tool funccount -p "$target_pid" "$target:*"
expect_same
stop_tool INT
expect_status 0
for name in compare_bytes or_bits shuffle compare_floats; do
	expect_line "^$name +1$" "$tool_out"
done

expect_line '[ :,]3 start with an instruction that the kernel would execute wrongly' "$tool_err"
expect_line '[ ,]1 start with an instruction that the kernel refuses to probe' "$tool_err"

for name in multiply save_flags processor_name; do
	run "$BIN/funccount" -p "$target_pid" "$target:$name"
	expect_status 1
	expect_line "cannot probe $name: it is on an instruction that the kernel would execute wrongly" "$tool_err"
done

# The C library by name and as a whole. Functions of the mathematical library that need AMD's FMA4
# are skipped.
run_tool funccount -p "$target_pid" c:memset c:strchr c:strchrnul
expect_same
stop_tool INT
for name in memset strchr strchrnul; do
	expect_line "${name}[_a-z0-9]* +[1-9]" "$tool_out"
done

run_tool funccount -p "$target_pid" 'c:*'
expect_same
stop_tool INT
expect_status 0

run_tool funccount -p "$target_pid" 'm:*'
expect_same
stop_tool INT
expect_status 0
# Only libc6-dbg has symbols of these functions.
id=$(readelf -n "$(ldd "$target" | awk '/libm\.so/ { print $3 }')" | sed -n 's/ *Build ID: //p')
[ ! -e "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" ] ||
	expect_line '[ ,]2 start with an instruction that the kernel cannot single-step' "$tool_err"
