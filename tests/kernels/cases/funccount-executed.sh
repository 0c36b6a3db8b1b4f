# shellcheck shell=sh
# timeout: 300
. /kernels/lib.sh

# Each instruction that a BPF program executes (Linux 6.19) has the same effect as without a probe on
# registers, flags, memory and faults. It is executed once.
[ "$(uname -m)" = x86_64 ] || skip 'only on x86-64'
/targets/instructions make "$T/list.so" executed
ready_seconds=120
start_target /targets/instructions run "$T/list.so"
wait_for "grep -q '^ready' '$target_out'" 60
run_tool funccount --stats -v -p "$target_pid" "$T/list.so:i*"
echo >&8
wait_for "grep -q '^compared' '$target_out' || ! alive $target_pid" 100
stop_tool INT
alive "$target_pid" || fail 'the program has ended'
expect_no_line '^i[0-9]' "$target_out"
functions=$(sed -n 's/^Tracing \([0-9]*\) functions.*/\1/p' "$tool_err")
[ "$functions" -gt 300 ] || fail "only $functions instructions can be probed"
expect_count "$functions" '^i[0-9]+_[0-9a-f]+ +2$' "$tool_out"
if grep -q 'does not emulate: single-stepped' "$tool_err"; then
	expect_line "instructions under probes: $functions single-stepped" "$tool_err"
else
	expect_line "instructions under probes: $functions executed by a program" "$tool_err"
fi
