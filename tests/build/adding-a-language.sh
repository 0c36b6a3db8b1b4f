#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$ROOT/tests/build/manual.bash"

# HACKING.md, "Adding a language", followed word for word in a copy of the tree. Only the room that changes is compiled again.
built_in=$BUILD
copy_tree_and_build
cd "$T"
cp -rp "$ROOT/${built_in}/obj/common" "$T/build/obj/"
# The header declares one more language, which nothing else uses.
make() { command make BUILD=build -o common/lang/language.h "$@"; }
follow_section 'Adding a language'
expect_equal "${files[*]}" 'common/lang/mini/probes.cpp mini.c'
expect_equal "$steps" 1

# The tools know the language, and count its calls.
gcc -O2 -o mini8.1 mini.c
mkfifo words
exec 7<>words
stdin=words start_target_and_wait ./mini8.1
BIN=$T/build/bin run_tool ucalls -l mini --json "$target_pid"
echo >&7
wait_for "grep -q done '$target_out'" 30
stop_tool INT
expect_status 0
expect_line '"method":"leaf","calls":70[,}]' "$tool_out"
