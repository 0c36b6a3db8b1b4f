#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# MySQL since 5.7, with a fixture: the text is in a COM_DATA union, whose fields are stale for other
# commands.
mkfifo "$T/input"
exec 7<>"$T/input"
stdin=$T/input start_target_and_wait "$TARGETS/mysql_com_data" 'select 1' "select 'two'"
run_tool dbslower mysql -p "$target_pid" -m 0
echo >&7
stop_tool
expect_status 0
expect_equal "$(awk 'NR > 1 { print $4, $5 }' "$tool_out")" $'select 1\nselect \'two\''
