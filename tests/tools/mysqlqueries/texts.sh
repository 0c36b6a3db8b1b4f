#!/bin/bash
# shares: mysql
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../mysql.bash"

# Texts are read by length: any bytes, including NUL, up to 64 KiB; of longer ones the beginning,
# with the true length. Control characters cannot disturb the terminal.
need_command python3
need_mysql_client
start_mariadb
do_all() {
	client hex "73656c656374202700ff1b5b326a270a" long 1024 long 1025 long 65536 long 65537 long 1000030 query 'select 2'
}
# The client receives its response before the server has finished the statement: -M waits for the
# last statement.
run_tool mysqlqueries -p "$mariadb_pid" --json --command query -M 7
do_all
stop_tool
expect_status 0
PYTHONPATH=$ROOT/tests/tools python3 -B - "$tool_out" <<'END'
import json, sys
from tool_json import bytes_of
rows = [json.loads(line) for line in open(sys.argv[1])]
texts = [bytes_of(row["query"]) for row in rows]
assert texts[0] == b"select '\0\xff\x1b[2j'\n", texts[0]
assert texts[-1] == b"select 2"
for row, text, length in zip(rows[1:], texts[1:], (1024, 1025, 65536, 65537, 1000030)):
    assert row["length"] == length
    assert text == (b"select '" + b"x" * (length - 9) + b"'")[:65536], (length, len(text))
    assert row.get("truncated", False) == (length > 65536), length
assert len(rows) == 7
END
run_tool mysqlqueries -p "$mariadb_pid" -Z 12 --command query -M 7
do_all
stop_tool
expect_status 0
expect_line " ok     Query    select '\\\\x00\\\\xff\\\\x1b\[... \[16 bytes\]$" "$tool_out"
expect_line " ok     Query    select 'xxxx\.\.\. \[1000030 bytes\]$" "$tool_out"
expect_line " ok     Query    select 2$" "$tool_out"

run_tool mysqlqueries -p "$mariadb_pid" -Z 9 -M 1 --command query --json
client query "select 'é'" # the second byte of é would be the tenth
stop_tool
expect_line '"query":"select .","length":11,"truncated":true' "$tool_out"
