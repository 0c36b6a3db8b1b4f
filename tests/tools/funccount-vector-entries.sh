#!/bin/bash
# alone: it puts probes on all functions of the C library
source "$(dirname "$0")/../lib.sh"

# Functions that begin with an instruction which the kernel would take for another one do what they always do.
# Their calls are counted where a probe behind that instruction is as good; else they are named.
grep -qw fma /proc/cpuinfo || skip 'the processor has no AVX2 and FMA'
target=$TARGETS/vectors
mkfifo "$T/in"
exec 8<>"$T/in"
stdin=$T/in start_target_and_wait "$target"
wanted=$(cat "$target_out")

# Traced, every function once: the same comes out.
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

expect_line '[ :,]3 begin with an instruction that the kernel would execute wrongly' "$tool_err"
expect_line '[ ,]1 begin with an instruction that the kernel lets no probe be on' "$tool_err"

for name in multiply save_flags processor_name; do
	run "$BIN/funccount" -p "$target_pid" "$target:$name"
	expect_status 1
	expect_line "no probe can be at $name: there is an instruction that the kernel would execute wrongly" "$tool_err"
done

# The C library by name and as a whole; functions of the mathematical one that need AMD's FMA4 are left out.
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
# Only libc6-dbg knows these functions.
id=$(readelf -n "$(ldd "$target" | awk '/libm\.so/ { print $3 }')" | sed -n 's/ *Build ID: //p')
[ ! -e "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" ] ||
	expect_line '[ ,]2 begin with an instruction that the kernel cannot single-step' "$tool_err"
