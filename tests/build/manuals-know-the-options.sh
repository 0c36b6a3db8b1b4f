#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
source "$ROOT/tests/build/manual.bash"

# A tool's --help and its manual page list the same options.
for tool in "$ROOT"/tools/*.cpp; do
	name=$(basename "$tool" .cpp)
	expect_same_options "$BIN/$name" "$ROOT/man/$name.1"
done

# The page of uscope describes its commands.
commands() { "$BIN/uscope" doctor "$@" && "$BIN/uscope" agent "$@"; }
expect_same_options commands "$ROOT/man/uscope.1"
