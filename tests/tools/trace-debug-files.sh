#!/bin/bash
# alone: it puts a debug file of a program that others trace below /usr/lib/debug
source "$(dirname "$0")/../lib.sh"

# A stripped program's functions and types by its debug information: in .gnu_debugdata, by debuglink, by build-id.
need_command objcopy strip xz
original=$TARGETS/values
name_it() { # PROGRAM PROBE WANTED
	run "$BIN/trace" "$1:$2" --exec -- "$1"
	expect_status 0
	expect_line " $3\$" "$tool_out"
}
refuse_it() { # PROGRAM
	run "$BIN/trace" "$1:factorial" --exec -- "$1"
	expect_status 1
	expect_line '^trace: .*factorial.*stripped.*debug file' "$tool_err"
}

strip -o "$T/stripped" "$original"
refuse_it "$T/stripped"

# .gnu_debugdata: only the function symbols, compressed.
nm --defined-only --format=posix "$original" | awk '$2 == "T" || $2 == "t" { print $1 }' >"$T/keep"
objcopy --only-keep-debug "$original" "$T/mini"
objcopy -S --remove-section .comment --keep-symbols="$T/keep" "$T/mini"
xz --keep "$T/mini"
objcopy --add-section .gnu_debugdata="$T/mini.xz" "$T/stripped" "$T/with-debugdata"
name_it "$T/with-debugdata" 'factorial (arg1 == 5) "%d", arg1' 'factorial +5'

# debuglink: beside the program, and in .debug; a file whose checksum differs is not it.
objcopy --only-keep-debug "$original" "$T/linked.debug"
objcopy --remove-section=.note.gnu.build-id --add-gnu-debuglink="$T/linked.debug" "$T/stripped" "$T/linked"
name_it "$T/linked" 'visit (node) "%s %d", node->name, node->at.y' 'visit +first 4'
mkdir "$T/.debug"
mv "$T/linked.debug" "$T/.debug/"
name_it "$T/linked" 'factorial (n == 5) "%d", n' 'factorial +5'
echo >>"$T/.debug/linked.debug"
refuse_it "$T/linked"

# build-id: below /usr/lib/debug.
id=$(readelf -n "$original" | sed -n 's/.*Build ID: //p')
[ -n "$id" ] || skip 'the compiler makes no build-ids'
folder=/usr/lib/debug/.build-id/${id:0:2}
at_exit "rm -f '$folder/${id:2}.debug'; rmdir -p --ignore-fail-on-non-empty '$folder'"
mkdir -p "$folder"
objcopy --only-keep-debug "$original" "$folder/${id:2}.debug"
name_it "$T/stripped" 'visit (node) "%s", node->next->name' 'visit +second'
run "$BIN/tplist" -l "$T/stripped" -f 'fact*'
expect_line ' factorial$' "$tool_out"
