#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# USDT probes of a file and of a process; tracepoints. Compares with tplist.
words() { # WORD…
	"$BIN/uscope" complete "$@" | cut -f 1 | tr -d ' '
}
file=$TARGETS/demo
[ -x "$file" ] || skip "there is no $file"
names=$("$BIN/tplist" -l "$file" | awk '{ print $2 }' | sort -u)
[ -n "$names" ] || fail "$file has no probes"
provider=${names%%:*}
expect_equal "$(words trace "u:$file:$provider:" | sort)" "$(grep "^$provider:" <<<"$names" | sed "s,^,u:$file:,")"
first=${names%%$'\n'*}
expect_equal "$(words stackcount "usdt:$file:${first#*:}" | head -n 1)" "usdt:$file:${first#*:}"
expect_equal "$(words tplist -l "$file" '' | sort)" "$names"

start_target_and_wait "$file"
expect_equal "$(words trace -p "$target_pid" "u::${first#*:}" | head -n 1)" "u::${first#*:}"
expect_equal "$(words trace -p "$target_pid" "u::$provider:" | sort)" "$(grep "^$provider:" <<<"$names" | sed 's/^/u::/')"

expect_equal "$(words trace t:syscalls:sys_enter_op | sed 's/^t://')" "$("$BIN/tplist" 'syscalls:sys_enter_op*')"
expect_equal "$(words trace t:sche)" t:sched:
expect_equal "$(words tplist sched:sched_process_ex)" "$("$BIN/tplist" 'sched:sched_process_ex*')"
