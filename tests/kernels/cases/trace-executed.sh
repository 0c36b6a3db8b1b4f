# shellcheck shell=sh
# timeout: 120
. /kernels/lib.sh

# If BPF programs may write registers (Linux 6.19), they execute the instructions of exit sites, and of
# entries that begin with endbr64. Then the kernel single-steps nothing, and so maps no page for that. All
# registers, the flags and the stack are afterwards as without probes.
[ "$(uname -m)" = x86_64 ] || skip 'only on x86-64'
program=/targets/returns
start_target $program 20

again() { # runs all functions once more, and waits for their results
	lines=$(wc -l <"$target_out")
	echo >&8
	wait_for "[ \$(wc -l <'$target_out') -gt $lines ]" 60
	expect_equal "$(sort -u "$target_out")" same
}

# The probes also see everything that the functions do.
counts() { # TOOL's output
	sed -nE 's/.*(ret_[a-z0-9_]+).*/\1/p' "$1" | sort | uniq -c | xargs
}
each='20 ret_16 20 ret_bnd 20 ret_branch 40 ret_lone 20 ret_lone_by_jump 20 ret_plain 20 ret_rep 20 ret_zero'
is_stepped() { grep -q '\[uprobes\]' "/proc/$target_pid/maps"; }

run_tool trace -v -p "$target_pid" "r:$program:ret_[!l]* \"%d\", retval"
again
stop_tool INT
expect_equal "$(counts "$tool_out")" "$(echo "$each" | sed 's/40 ret_lone 20 ret_lone_by_jump //')"
if grep -q 'does not emulate: single-stepped (programs can' "$tool_err"; then
	# Here no program executes instructions: the kernel single-steps.
	is_stepped || fail 'nothing was stepped'
	exit 0
fi
expect_line 'does not emulate: executed by a program' "$tool_err"
! is_stepped || fail 'something was single-stepped'

# Entries; then entries and returns, with --stats.
run_tool trace --stats -p "$target_pid" "$program:ret_branch" "r:$program:ret_branch \"%d\", \$latency >= 0"
again
stop_tool INT
expect_equal "$(counts "$tool_out" | sed 's/ instr.*//')" '40 ret_branch'
expect_line 'instructions under probes: 2 executed by a program$' "$tool_err"
expect_line 'instructions executed instead of stepped: 40 runs' "$tool_err"
! is_stepped || fail 'something was single-stepped'

# Two tools on the same functions both see everything.
run_tool funclatency -p "$target_pid" "$program:ret_plain"
first_pid=$tool_pid first_out=$tool_out
run_tool trace -p "$target_pid" "r:$program:ret_plain \"%d\", retval"
again
stop_tool INT
expect_equal "$(counts "$tool_out")" '20 ret_plain'
tool_pid=$first_pid
stop_tool INT
expect_line '20' "$first_out"
! is_stepped || fail 'something was single-stepped'

# On a processor with shadow stacks, the tool checks whether each process has one.
{ cat /proc/cpuinfo && echo 'flags : user_shstk fsrm'; } >"$T/cpuinfo"
mount --bind "$T/cpuinfo" /proc/cpuinfo
run_tool trace -v -p "$target_pid" "r:$program:ret_plain"
again
stop_tool INT
umount /proc/cpuinfo
expect_equal "$(counts "$tool_out")" '20 ret_plain'
expect_line 'executed by a program if possible, but no returns in processes with a shadow stack$' "$tool_err"
! is_stepped || fail 'something was single-stepped'

# Another tool's return probe on a function that is only a return instruction: the kernel replaces the
# return address after the programs have run.
run trace --dry-run "$program:ret_lone"
offset=$(sed -nE 's/.*ret_lone at .*file offset (0x[0-9a-f]+)\).*/\1/p' "$tool_out" | head -n 1)
events=/sys/kernel/tracing
echo "r:other/lone $program:$offset" >$events/uprobe_events
echo 1 >$events/events/other/lone/enable
run_tool trace -p "$target_pid" "r:$program:ret_lone_by_jump"
again
stop_tool INT
expect_equal "$(counts "$tool_out")" '20 ret_lone_by_jump'
run_tool trace -p "$target_pid" "r:$program:ret_*" "$program:ret_*"
again
stop_tool INT
echo 0 >$events/events/other/lone/enable
expect_equal "$(grep -c 'lone:' $events/trace)" 80
echo >$events/uprobe_events
again

# A switch for tests makes the kernel single-step anyway.
USCOPE_FORCE_STEP=1
export USCOPE_FORCE_STEP
run_tool trace -v -p "$target_pid" "r:$program:ret_* \"%d\", retval"
again
stop_tool INT
expect_equal "$(counts "$tool_out")" "$each"
expect_line 'does not emulate: single-stepped \(by USCOPE_FORCE_STEP\)' "$tool_err"
is_stepped || fail 'nothing was stepped'
