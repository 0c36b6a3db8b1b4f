#!/bin/bash
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# BCC's names for a tool with a language work, also if all names have a prefix, and through a link that has the name in its own.
make -s install DESTDIR="$T/dest" PREFIX= NAME_PREFIX=x
ln -s "$T/dest/bin/xcobjnew" "$T/y-cobjnew-z"
while read -r alias tool _; do
	[ -e "tools/$tool.cpp" ] || continue
	run "$T/dest/bin/x$alias" --help
	expect_status 0
	expect_line "^Usage: x$alias " "$tool_out"
	expect_line "^This is x$tool " "$tool_out"
	expect_equal "$(cat "$T/dest/share/man/man1/x$alias.1")" ".so man1/x$tool.1"
done <tools/aliases
run "$T/dest/bin/xrubycalls" $$
expect_status 1
expect_line 'does not run Ruby$' "$tool_err"
run "$T/y-cobjnew-z"
expect_status 2
expect_line 'which process' "$tool_err"
