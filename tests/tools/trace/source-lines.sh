#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Probes on source lines, with the variables that the program has there, which it prints itself.
need_command g++
source_file=$ROOT/tests/targets/statements.cpp
rows() { sed -nE 's/^[0-9]+ +[0-9]+ +statements *statements.cpp:([0-9]+) +/\1 /p' "$tool_out"; }
traced() { # PROBE…
	run "$BIN/trace" -q "$@" --exec -- "$program"
	expect_status 0
}
for level in -O0 -O1 -O2; do
	program=$T/$level/statements
	mkdir -p "${program%/*}"
	g++ -std=c++20 -g "$level" -o "$program" "$source_file"
	truth=$("$program" | grep '^26 ')
	traced "$program:statements.cpp:26 \"%d %d %d\", sum, i, values[i]"
	expect_equal "$level $(rows)" "$level $truth"
	traced "$program:tests/targets/statements.cpp:26 (i == 1) \"%v\", point"
	expect_equal "$level $(rows)" "$level 26 {x=6, y=1}"
	# A line without code means the next one that has some; it is said.
	traced "$program:statements.cpp:29 \"%d\", 7"
	expect_equal "$level $(rows)" "$level 30 7"
	run "$BIN/trace" "$program:statements.cpp:29 \"%d\", 7" --exec -- "$program"
	expect_line 'statements.cpp line 29 has no code: line 30 is traced' "$tool_err"
done

# In a function that was inlined. Without a format, all variables are shown.
program=$T/-O0/statements
traced "$program:statements.cpp:14 \"%d %d\", n, total"
expect_equal "$(rows)" $'14 5 0\n14 6 10\n14 7 22'
traced "$program:statements.cpp:14"
expect_line ' n=5, doubled=10, point=\{x=5, y=0\}, i=0, values=0x[0-9a-f]+, label="label", sum=0$' "$tool_out"
run_tool funccount "$program:statements.cpp:26"
"$program" >/dev/null
stop_tool INT
expect_line 'statements.cpp:26 +3$' "$tool_out"
run_tool argdist -C "p:$program:statements.cpp:26():int:sum"
"$program" >/dev/null
stop_tool INT
expect_line '\s1 +sum = 23$' "$tool_out"

# Mistakes.
wrong() { # WANTED PROBE
	run "$BIN/trace" "$2"
	expect_status "${3-2}" 1
	expect_line "$1" "$tool_err"
}
wrong 'has no code of statements.cpp from line 999 on' "$program:statements.cpp:999" 1
wrong 'has no code of other.cpp from line 1 on' "$program:other.cpp:1" 1
wrong 'a source line has no return' "r:$program:statements.cpp:26"
wrong 'lines begin at 1' "$program:statements.cpp:0"
wrong 'nothing is named summ here, did you mean sum' "$program:statements.cpp:26 \"%d\", summ"
strip -g -o "$T/stripped" "$program"
wrong 'has no debug information (\(.*\))?, so that its source lines are not known' "$T/stripped:statements.cpp:26" 1
