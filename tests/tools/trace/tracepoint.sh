#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Kernel tracepoints: fields by name, strings in user memory, strings in the record, conditions.
cat >"$T/touch" <<END
: <"$T/one file"
: <"$TARGETS/values"
END
touch "$T/one file"
run "$BIN/trace" "t:syscalls:sys_enter_openat (starts_with(args->filename, \"$T\")) \"%s %d\", args->filename, args->flags" \
	"t:sched:sched_process_exec \"%s\", args->filename" "t:syscalls:sys_exit_openat (args->ret < 0) \"%d\", args->ret" \
	--exec -- /bin/sh "$T/touch"
expect_status 0
expect_line " sh +sys_enter_openat +$T/one file [0-9]+\$" "$tool_out"
expect_line "sched_process_exec +/bin/sh\$" "$tool_out"
expect_no_line "sys_enter_openat +$TARGETS" "$tool_out"
expect_no_line 'sys_exit_openat +[0-9]' "$tool_out"

start_target_and_wait "$TARGETS/flood" 1 100000 5
run "$BIN/trace" -M 5 -p "$target_pid" 't:syscalls:sys_enter_clock_nanosleep "%d", args->which_clock'
expect_status 0
expect_count 5 "^$target_pid .* flood +sys_enter_clock_nan.* +[0-9]+\$" "$tool_out"
# Events of tracers: only those of other tracers, unless -S asks for its own.
polls=(--comm trace 't:syscalls:sys_enter_epoll_wait "%d", $pid' 't:syscalls:sys_enter_epoll_pwait "%d", $pid')
run_tool trace "${polls[@]}"
without=$tool_pid without_out=$tool_out
run_tool trace -S "${polls[@]}"
shows_events_of() { grep -qE "^$2 .* trace +sys_enter_epoll_p?wait +$2\$" "$1"; } # FILE PID
wait_for "shows_events_of '$tool_out' $tool_pid && shows_events_of '$tool_out' $without && shows_events_of '$without_out' $tool_pid" 10
! shows_events_of "$without_out" "$without" || fail 'it traces itself without -S'

# Several by a pattern.
run "$BIN/trace" 't:sched:sched_process_e*' --exec -- /bin/true
expect_line ' sched_process_exit' "$tool_out"

for bad in 't:syscalls:sys_enter_openat "%s", args->file' 't:syscalls:sys_enter_openat "%d", arg1' 't:syscalls:sys_enter_openat "%d", retval'; do
	run "$BIN/trace" "$bad" --exec -- /bin/true
	expect_status 2
	expect_line '^ +\^$' "$tool_err"
done
expect_equal "$(cat "$tool_out")" ''
