# shellcheck shell=sh
. /kernels/lib.sh
# timeout: 600

# On this kernel, too, each kind of instruction does with a probe on it what it does without, and is counted once.
[ "$(uname -m)" = x86_64 ] || skip 'the instructions are those of x86-64'
list=$T/list.so
/targets/instructions make "$list" short
start_target /targets/instructions run "$list"
wait_for "grep -q '^ready' '$target_out' || ! alive $target_pid" 200
run_tool funccount -p "$target_pid" "$list:i*"
echo >&8
wait_for "grep -q '^compared' '$target_out' || ! alive $target_pid" 400
stop_tool TERM
cat "$tool_err"
head -n 20 "$target_out"
expect_line '^compared [0-9]+, 0 differ$' "$target_out"
! grep -q 'the kernel refuses a probe on them' "$tool_err" || fail 'the kernel refuses some'
functions=$(sed -n 's/^Tracing \([0-9]*\) functions.*/\1/p' "$tool_out")
[ "$(grep -cE '^i[0-9]+_[0-9a-f]+ +2$' "$tool_out")" -eq "$functions" ] || fail "not all $functions were counted twice"
