#!/bin/bash
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# The program lists all tools in tools/ with their summaries.
run "$BIN/uscope"
expect_status 0
names_in() { # AWK-PATTERN-OF-A-BLOCK
	awk -v RS= "$1" "$tool_out" | sed -nE 's/^  ([a-z]+) +[^ ].*/\1/p' | sort
}
expect_equal "$(names_in '!/^(Commands|BCC)/')" "$(basename -a -s .cpp tools/*.cpp)"
expect_equal "$(names_in '/^Commands/')" "$(basename -a -s .cpp tools/uscope/*.cpp)"
# Also BCC's names, for a tool with options.
expect_equal "$(awk -v RS= '/^BCC/' "$tool_out" | grep -oE ' [a-z_]+' | tr -d ' ' | grep -vxF "$(basename -a -s .cpp tools/*.cpp)" |
	grep -vxE 's|names|for|tool|with|options|a' | sort)" "$(cut -d ' ' -f 1 tools/aliases | sort)"
# One line for each, under questions that have a tool.
expect_equal "$(awk 'length > 80' "$tool_out")" ''
expect_equal "$(grep -A 1 '?$' "$tool_out" | grep -cE '^  [a-z]+ +[a-z]')" "$(grep -c '?$' "$tool_out")"
expect_line '^What is slow\?$' "$tool_out"
expect_no_line '^   ' "$tool_out"
expect_equal "$("$BIN/uscope" --help)" "$(cat "$tool_out")"
run "$BIN/uscope" --version
expect_equal "$(cat "$tool_out")" "uscope $(cat VERSION)"

# A tool is the same by its link and by the program's name, except for the name in its messages.
for source in tools/*.cpp; do
	tool=$(basename "$source" .cpp)
	run "$BIN/uscope" "$tool" --help
	expect_status 0
	expect_line "^Usage: uscope $tool " "$tool_out"
	expect_equal "$(sed 's/uscope //g' "$tool_out")" "$("$BIN/$tool" --help)"
done

# So are BCC's names, which take the same options and arguments as in BCC.
while read -r alias _; do
	run "$BIN/uscope" "$alias" --help
	expect_status 0
	expect_line "^Usage: uscope $alias " "$tool_out"
done <tools/aliases
run "$BIN/uscope" rubycalls $$
expect_status 1
expect_line 'does not run Ruby$' "$tool_err"
run "$BIN/uscope" mysqld_qslower 0x
expect_status 2
expect_line '^uscope dbslower: ' "$tool_err"

# It needs the PID, and says what it is.
for words in '' --json x -5; do
	# shellcheck disable=SC2086 # nothing, or one word
	run "$BIN/uscope" mysqld_qslower $words
	expect_status 2
	expect_equal "$(cat "$tool_err")" 'uscope mysqld_qslower: give the PID of a server: uscope mysqld_qslower PID [MS] (uscope dbslower mysql watches all)'
done
run "$BIN/uscope" mysqld_qslower --help
expect_line '^Usage: uscope mysqld_qslower \[OPTIONS\] PID \[MS\]$' "$tool_out"
expect_line '^This is uscope dbslower mysql -p PID -m MS\.$' "$tool_out"
run "$BIN/uscope" javacalls --help
expect_line '^Usage: uscope javacalls \[OPTIONS\] \[' "$tool_out"
expect_line '^This is uscope ucalls -l java\.$' "$tool_out"

# A command has no link, and is no part of a tool's name.
[ ! -e "$BIN/doctor" ]
run "$BIN/uscope" doctor --version
expect_equal "$(cat "$tool_out")" "uscope doctor $(cat VERSION)"
ln -s "$BIN/uscope" "$T/doctor"
run "$T/doctor" --version
expect_equal "$(cat "$tool_out")" "uscope $(cat VERSION)"

run "$BIN/uscope" tracee
expect_status 2
expect_equal "$(cat "$tool_err")" 'uscope: there is no tool "tracee" (uscope lists the tools)'
[ ! -s "$tool_out" ]
run "$BIN/uscope" killsnoop --no-such-option
expect_status 2
expect_line '^uscope killsnoop: ' "$tool_err"
