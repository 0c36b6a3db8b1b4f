#!/bin/bash
# ring: first
# shares: signals
source "$(dirname "$0")/../../lib.sh"

# --kernel shows signals that no system call sent. A timer's signal has no sender.
run_tool killsnoop --kernel -w -n --comm signals -s SEGV,PIPE,CHLD,USR1
"$TARGETS/signals" segv kill pipe >"$T/out"
stop_tool INT
expect_status 0
read -r sender receiver _ <"$T/out"
expect_line "^[0-9:.]+ +[0-9]+ +signals +SIGSEGV +[0-9]+ +0 +kernel +1 signals\$" "$tool_out"
expect_line "^[0-9:.]+ +[0-9]+ +signals +SIGPIPE +[0-9]+ +0 +kernel +1 signals\$" "$tool_out"
expect_line "^[0-9:.]+ +[0-9]+ +signals +SIGCHLD +$sender +0 +kernel +0 signals\$" "$tool_out"
expect_line "^[0-9:.]+ +$sender +signals +SIGUSR1 +$receiver +0 +kill +1 signals\$" "$tool_out"
expect_equal "$(awk '$4 == "SIGSEGV" { print $2 == $5 }' "$tool_out")" 1

run_tool killsnoop --kernel -w -s ALRM
"$TARGETS/signals" alarm >"$T/out"
stop_tool INT
expect_line '^[0-9:.]+ +- +- +14 +[0-9]+ +0 +kernel +1 signals$' "$tool_out"

# Without it, only system calls are shown.
run_tool killsnoop --comm signals
"$TARGETS/signals" segv kill pipe >"$T/out"
stop_tool INT
expect_equal "$(awk 'NR > 1 { print $4 }' "$tool_out" | xargs)" '10 9 9 9'
