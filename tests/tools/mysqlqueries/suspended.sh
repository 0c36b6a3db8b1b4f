#!/bin/bash
# alone: a statement has to take less than 20 ms
source "$(dirname "$0")/../../lib.sh"

# MariaDB's thread pool can suspend a command and end it later in another thread (a small program
# does the same here): the command is shown once, when it has ended, with its full time.
# (tests/measured/dbslower-suspended checks that other commands have only their own time.)
mkfifo "$T/go"
exec 8<>"$T/go"
stdin=$T/go start_target_and_wait "$TARGETS/mysql-suspend"
run_tool mysqlqueries -p "$target_pid" -M 3
echo >&8
stop_tool
expect_status 0
expect_equal "$(awk 'NR > 1 { print $NF }' "$tool_out" | xargs)" 'quick slow next'
expect_equal "$(awk '$NF == "slow" { print ($5 ~ /[0-9]s$/ || ($5 ~ /ms$/ && $5 + 0 >= 20)) }' "$tool_out")" 1
