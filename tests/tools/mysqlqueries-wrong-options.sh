#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# What cannot be done is said in one line, with the right status, and nothing is guessed.
wrong() { # STATUS REGEX ARG…
	local status=$1 regex=$2
	shift 2
	run timeout 20 "$BIN/mysqlqueries" "$@"
	expect_status "$status"
	expect_line "^mysqlqueries: $regex" "$tool_err"
	expect_count 0 . "$tool_out"
	expect_equal "$(wc -l <"$tool_err")" 1
}
wrong 1 "$(readlink -f "$TARGETS/calls") has no function dispatch_command\(\)" "$TARGETS/calls"
wrong 1 "$(readlink -f "$TARGETS/mysql-com-data") does not export sp_instr_stmt::execute" --nested "$TARGETS/mysql-com-data"
wrong 2 'PROGRAM and -p both say which servers' -p $$ /bin/bash
wrong 2 '--command: "exec" is no command' --command query,exec
wrong 2 '.*"1e13" is not a time' --min 1e13
wrong 2 '--regex: ' --regex '('
wrong 2 '--top, --sort and -i are about digests' --top 3
wrong 2 '--top, --sort and -i are about digests' --sort total
wrong 2 '--digest counts the statements of all users' --digest -u
wrong 2 '--sort: "size" is none of' --digest --sort size
wrong 2 '-M 0 would show nothing' -M 0
wrong 2 '--buffer takes 128K' --buffer 1K
wrong 2 '-d takes' -d 0
