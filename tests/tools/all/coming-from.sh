#!/bin/bash
# timeout: 600
# shares: mysql ustat bash
source "$(dirname "$0")/../../lib.sh"
cd "$T" || exit

# docs/coming-from.md: the right side of each line of its tables works. PID is a process that has the probes.
has_kprobes=$([ ! -e /sys/bus/event_source/devices/kprobe ] || echo yes)
start_target_and_wait "$TARGETS/demo"
lines=0
while IFS= read -r command; do
	lines=$((lines + 1))
	case $command in
	*vfs_*) [ -n "$has_kprobes" ] || continue ;;
	'dbslower '*) command+=' --dry-run' ;; # no server runs
	*mysqld_qslower*) command=${command/PID 10/--help} ;;
	*javacalls*) command=${command/PID/--help} ;; # tools/ucalls/java traces a JVM
	esac
	case $command in
	tplist*)
		eval "run '$BIN'/$command"
		[ -s "$tool_out" ] || fail "prints nothing: $command"
		;;
	*--dry-run | *--help | *--exec*) eval "run '$BIN'/$command" ;;
	*)
		eval "run_tool ${command//PID/$target_pid}"
		stop_tool INT
		;;
	esac
	[ "$tool_status" -eq 0 ] || fail "status $tool_status: $command: $(cat "$tool_err")"
done < <(sed -nE 's/^\| .* \| `([^`]*)` \|$/\1/p' "$ROOT/docs/coming-from.md")
[ "$lines" -eq "$(grep -c '^| .*`.* |$' "$ROOT/docs/coming-from.md")" ] || fail "only $lines lines have a command"
