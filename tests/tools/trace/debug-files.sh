#!/bin/bash
# alone: it installs a debug file below /usr/lib/debug for a program that other tests trace
source "$(dirname "$0")/../../lib.sh"

# Functions and types of a stripped program from its debug information: in .gnu_debugdata, by
# debuglink, by build ID.
need_command objcopy strip xz
original=$TARGETS/values
expect_found() { # PROGRAM PROBE WANTED
	run "$BIN/trace" "$1:$2" --exec -- "$1"
	expect_status 0
	expect_line " $3\$" "$tool_out"
}
expect_refused() { # PROGRAM
	run "$BIN/trace" "$1:factorial" --exec -- "$1"
	expect_status 1
	expect_line '^trace: .*factorial.*stripped.*debug file' "$tool_err"
}

strip -o "$T/stripped" "$original"
expect_refused "$T/stripped"

# .gnu_debugdata has only function symbols, compressed.
nm --defined-only --format=posix "$original" | awk '$2 == "T" || $2 == "t" { print $1 }' >"$T/keep"
objcopy --only-keep-debug "$original" "$T/mini"
objcopy -S --remove-section .comment --keep-symbols="$T/keep" "$T/mini"
xz --keep "$T/mini"
objcopy --add-section .gnu_debugdata="$T/mini.xz" "$T/stripped" "$T/with-debugdata"
expect_found "$T/with-debugdata" 'factorial (arg1 == 5) "%d", arg1' 'factorial +5'

# debuglink: next to the program, and in .debug; a file with a different checksum is not used.
objcopy --only-keep-debug "$original" "$T/linked.debug"
objcopy --remove-section=.note.gnu.build-id --add-gnu-debuglink="$T/linked.debug" "$T/stripped" "$T/linked"
expect_found "$T/linked" 'visit (node) "%s %d", node->name, node->at.y' 'visit +first 4'
mkdir "$T/.debug"
mv "$T/linked.debug" "$T/.debug/"
expect_found "$T/linked" 'factorial (n == 5) "%d", n' 'factorial +5'
echo >>"$T/.debug/linked.debug"
expect_refused "$T/linked"

# Build ID: below /usr/lib/debug.
id=$(readelf -n "$original" | sed -n 's/.*Build ID: //p')
[ -n "$id" ] || skip 'the compiler writes no build IDs'
folder=/usr/lib/debug/.build-id/${id:0:2}
at_exit "rm -f '$folder/${id:2}.debug'; rmdir -p --ignore-fail-on-non-empty '$folder'"
mkdir -p "$folder"
objcopy --only-keep-debug "$original" "$folder/${id:2}.debug"
expect_found "$T/stripped" 'visit (node) "%s", node->next->name' 'visit +second'
run "$BIN/tplist" -l "$T/stripped" -f 'fact*'
expect_line ' factorial$' "$tool_out"
