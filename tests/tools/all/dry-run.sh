#!/bin/bash
# timeout: 400
# alone: it expects no uprobe events on the machine
source "$(dirname "$0")/../../lib.sh"

# With --dry-run, every tool prints what it would attach, attaches nothing and ends. With -v, it
# prints on standard error what it attaches; with --stats, it prints at the end what tracing cost.
need_ruby
echo 'puts "ready"; $stdout.flush; loop { [1].each { |x| x }; GC.start; sleep 0.01 }' >"$T/loop.rb"
start_target_and_wait "${ruby_program[@]}" "$T/loop.rb"
calls=$TARGETS/calls

declare -A arguments=(
	[trace]="c:malloc" [argdist]="-C p:c:malloc()" [funccount]="c:malloc" [funclatency]="c:malloc" [stackcount]="c:malloc"
	[httpsnoop]="" [killsnoop]="" [memleak]="" [offcputime]="" [profile]="" [readlat]="" [uobjnew]="" [ucalls]="" [uflow]="" [ugc]="" [uthreads]="-l c" [ustat]=""
)
declare -A expected=(
	[killsnoop]='tracepoint syscalls:sys_enter_kill' [readlat]='tracepoint syscalls:sys_exit_read'
	[httpsnoop]='tracepoint sock_send_length' [offcputime]='tracepoint sched:sched_switch' [profile]='49 samples a second on each CPU'
	[uobjnew]='ruby' [ucalls]='ruby' [uflow]='ruby' [ugc]='ruby' [uthreads]='pthread_create' [ustat]='ruby'
)
# The other tools look for servers (see the end of this file), or attach nothing:
# others: dbslower dbstat gohttp mysqlqueries rediscommands tplist

for tool in "${!arguments[@]}"; do
	pid="-p $target_pid"
	case $tool in uobjnew | ucalls | uflow | ugc | uthreads) pid=$target_pid ;; esac
	# shellcheck disable=SC2086 # the arguments are several words
	run timeout 30 "$BIN/$tool" --dry-run ${arguments[$tool]} $pid
	expect_status 0
	expect_line "${expected[$tool]:-malloc}" "$tool_out"
	expect_equal "$(cat /sys/kernel/tracing/uprobe_events 2>/dev/null)" ''

	# shellcheck disable=SC2086
	run_tool "$tool" -v --stats ${arguments[$tool]} $pid
	expect_line "${expected[$tool]:-malloc}" "$tool_err"
	stop_tool INT
	expect_status 0
	expect_line "^$tool: .*[0-9.]+ ms of CPU in this process" "$tool_err"
done

# --dry-run also works on the program file of a server that does not run.
planned() { # REGEX TOOL ARG...
	run timeout 30 "$BIN/$2" --dry-run "${@:3}"
	expect_status 0
	expect_line "$1" "$tool_out"
}
planned pq_getbyte dbslower postgres -x "$TARGETS/postgres"
planned pq_getbyte dbstat postgres -x "$TARGETS/postgres"
planned dispatch_command mysqlqueries "$TARGETS/mysql-com-data"
planned slowlogPushEntryIfNeeded rediscommands -x "$TARGETS/redis"

# --stats shows how often each BPF program ran, and what a run cost on average.
run_tool funccount --stats "$calls:plain"
"$calls" 1 plain:100
stop_tool INT
expect_line 'calls:plain: 100 runs, [0-9]+ ns each \(without the trap\)' "$tool_err"
