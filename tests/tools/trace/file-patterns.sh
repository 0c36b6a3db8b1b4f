#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Patterns of files: all that match, each once, even if it has two names; files that are not
# programs are skipped.
mkdir "$T/files"
cp "$TARGETS/demo" "$T/files/demo1"
cp "$TARGETS/demo" "$T/files/demo2"
cp "$TARGETS/calls" "$T/files/calls"
ln -s demo1 "$T/files/demo3"
echo text >"$T/files/demo.txt"
shown() { sed -n 's/^  \(.*\/files\/[a-z0-9]*\).*/\1/p' "$tool_out" | sed 's/.*\///' | sort -u | xargs; }
planned() { # WANTED-FILES OPTION… PROBE
	run "$BIN/trace" --dry-run "${@:2}"
	expect_status 0
	expect_equal "$(shown)" "$1"
}
planned 'demo1 demo2' "u:$T/files/demo*:shop:order__placed"
planned 'demo1 demo2' "u:$T/files/*:shop:order_*"
planned 'calls' "$T/files/*:plain"
planned 'calls demo1 demo2' "$T/files/[cd]*:main"
cd "$T"
planned 'demo1 demo2' 'u:./files/demo[1-9]:order__placed'
PATH=$T/files:$PATH planned 'demo1 demo2' 'u:demo?:order__placed'

run "$BIN/trace" --dry-run "u:$T/files/*:no_such_probe"
expect_status 1
expect_line 'files/\* \(3 files\) has no USDT probe no_such_probe' "$tool_err"
run "$BIN/trace" --dry-run "$T/files/*:no_such_function"
expect_status 1
expect_line 'no file that matches .*files/\* has a function no_such_function' "$tool_err"
run "$BIN/trace" --dry-run "$T/files/*.txt:f"
expect_status 1
expect_line 'no program or library matches .*files/\*\.txt$' "$tool_err"

# With a process: only files that it maps.
start_target_and_wait "$T/files/demo2"
planned 'demo2' -p "$target_pid" "u:*:shop:order__placed"
planned 'demo2' -p "$target_pid" "u:$T/files/*:shop:order__placed"
planned 'demo2' -p "$target_pid" "demo*:main"
run "$BIN/trace" --dry-run -p "$target_pid" '*:mallo[c]'
expect_status 0
expect_line 'malloc in .*libc|libc.*' "$tool_out"
run "$BIN/trace" -M 2 -p "$target_pid" 'u:*:shop:order__placed "%d", arg1' '*:wri[t]e "written"'
expect_status 0
expect_count 2 '^[0-9]+ +[0-9]+ +demo2 ' "$tool_out"
