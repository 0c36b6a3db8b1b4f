#!/bin/bash
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# The program lists all tools in tools/ with their summaries.
run "$BIN/uscope"
expect_status 0
names_under() { # TITLE
	sed -nE "/^$1/,/^\$/s/^  ([a-z]+) +[^ ].*/\1/p" "$tool_out"
}
expect_equal "$(names_under Tools)" "$(basename -a -s .cpp tools/*.cpp)"
expect_equal "$(names_under Commands)" "$(basename -a -s .cpp tools/uscope/*.cpp)"
expect_equal "$("$BIN/uscope" --help)" "$(cat "$tool_out")"
expect_equal "$(COLUMNS='' "$BIN/uscope" --help | awk 'length > 80')" ''
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
