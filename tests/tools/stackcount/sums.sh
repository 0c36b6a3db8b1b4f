#!/bin/bash
# ring: first
# shares: stacks
source "$(dirname "$0")/../../lib.sh"
need_command jq

# Stacks weighted by the sum of an expression. work() gets 0 to 2 from often(), 100 and 101 from
# seldom(), 200 to 204 from down() and 300 from a thread.
probe="$TARGETS/stacks:work(int number)"
count() { # ARGUMENT OF stacks, OPTION…
	local times=$1
	shift
	run_tool stackcount "$@" "$probe"
	"$TARGETS/stacks" "$times"
	stop_tool INT
	expect_status 0
}
rows() { sed -E 's/^stacks;.*;(main|thread);/\1;/' "$tool_out" | sort; }
wanted='main;down;down;down;down;down;work 204
main;down;down;down;down;work 203
main;down;down;down;work 202
main;down;down;work 201
main;down;work 200
main;often;work 3
main;seldom;work 201
thread;work 300'
count 1 --sum number --sum-unit bytes -f
expect_equal "$(head -n 1 "$tool_out")" '# unit: bytes'
expect_equal "$(rows | grep -v '^#')" "$wanted"
cp "$tool_out" "$T/before"

# The greatest is last; the count stands beside the sum.
count 1 --sum 'number * 1000' --sum-unit bytes --top 2
expect_equal "$(head -n 2 "$tool_out" | tail -n 1)" 'STACK, SUM(number * 1000) (EVENTS)'
expect_equal "$(grep -E '^    [0-9]' "$tool_out")" '    199 KiB (1 event)
    293 KiB (1 event)'
count 1 --sum number --json
expect_equal "$(jq -c 'select(.user_stack[1] == "seldom") | [.count, .sum, .sum_unit]' "$tool_out")" '[2,201,null]'
count 1 --sum number --sum-unit bytes --json --min 204
expect_equal "$(jq -c '[.count, .sum, .sum_unit]' "$tool_out" | sort)" '[1,204,"bytes"]
[1,300,"bytes"]'

# --min also of counts.
count 1 --min 2 -f
expect_equal "$(rows)" 'main;often;work 3
main;seldom;work 2'

# A flame graph of sums; a comparison, in which what was recorded is scaled to the same total.
count 1 --sum 'number * 1000' --sum-unit bytes --svg "$T/graph.svg"
expect_line '<title>seldom \(196 KiB, [0-9.]+%\)' "$T/graph.svg"
expect_line ', sum of number \* 1000 of all processes</title>' "$T/graph.svg"
sed -E '/thread/d; s/(often;work) 3/\1 1214/' "$T/before" >"$T/changed"
count 1 --sum number --sum-unit bytes --diff "$T/changed"
expect_equal "$(grep -E '^        ' "$tool_out" | tail -n 2)" '        +300 bytes (0 bytes before, 300 bytes now)
        -755 bytes (758 bytes before, 3 bytes now)'
count 1 --sum number --sum-unit bytes --diff "$T/changed" --json --top 1
expect_equal "$(jq -c '[.count, .before, .change, .stack[0], .stack[-2]]' "$tool_out")" '[3,758,-755,"stacks","often"]'
count 1 --sum number --sum-unit bytes --diff "$T/changed" --svg "$T/change.svg"
expect_line 'often \(3 bytes, 0.20%; 758 bytes before, 50.07%\)' "$T/change.svg"
expect_line ", sum of number of all processes, compared with $T/changed</title>" "$T/change.svg"
run "$BIN/stackcount" --diff "$T/before" "$probe"
expect_status 1
expect_line "^stackcount: --diff: $T/before has bytes, not numbers of events: record both in the same way\$" "$tool_err"
run "$BIN/profile" --replay "$T/before" --top 1
expect_equal "$(head -n 1 "$tool_out")" 'STACK, BYTES'

# Without --sum, it is the numbers of events that are compared.
count 1 -f
cp "$tool_out" "$T/counts"
count 2 --diff "$T/counts"
expect_equal "$(grep -E '^        ' "$tool_out" | sort -u)" '        +0 events (2 before, 2 now)
        +0 events (4 before, 4 now)
        +0 events (6 before, 6 now)'
expect_line '^STACK, CHANGE \(EVENTS\)$' "$tool_out"

# Folded, each line has both numbers, as difffolded.pl writes them. An interval without events shows
# nothing, and one stack is one.
count 2 --diff "$T/counts" -f
expect_equal "$(rows | head -n 1)" 'main;down;down;down;down;down;work 2 2'
count 1 --sum number --sum-unit bytes --diff "$T/changed" -f
expect_equal "$(head -n 1 "$tool_out")" '# unit: bytes'
expect_equal "$(rows | grep often)" 'main;often;work 758 3'
run "$BIN/stackcount" --diff "$T/counts" -i 0.1 -D 0.3 -p $$ "$probe"
expect_no_line '^        [+-]' "$tool_out"

# Sums that do not fit into 64 bits; units that are no words.
count 1 --sum 'number > 299 ? 0x7fffffffffffffff : 1' -f
expect_equal "$(rows | grep thread)" 'thread;work 9223372036854775807'
count 3 --sum '0x7fffffffffffffff' --sum-unit bytes --top 1 -f
expect_equal "$(rows | grep often)" 'main;often;work 9223372036854775807'
expect_line '^stackcount: ([2-9] sums are|1 sum is) too large for 64 bits, and shown as the greatest number of 64 bits$' "$tool_err"
run "$BIN/stackcount" --sum number --sum-unit $'a\x01b' "$probe"
expect_status 2
expect_equal "$(cat "$tool_err")" 'stackcount: --sum-unit: a unit is a word, without control characters'

# The time of calls; negative sums, which have no place in a picture.
calls=$TARGETS/calls
run_tool stackcount --sum '$latency' --min 20ms --json "r:$calls:slow"
"$calls" 1 slow:10
stop_tool INT
expect_status 0
jq -se 'length == 1 and .[0].count == 10 and .[0].sum >= 20000000 and .[0].sum_unit == "ns"' "$tool_out" >/dev/null ||
	fail "wrong: $(<"$tool_out")"
count 1 --sum '100 - number' --top 1
expect_equal "$(grep -E '^    -?[0-9]' "$tool_out")" '    297 (3 events)'
count 1 --sum '100 - number'
expect_line '^    -200 \(1 event\)$' "$tool_out"
count 1 --sum '100 - number' -f
expect_equal "$(rows | grep -v '^#')" 'main;often;work 297'
expect_line '^stackcount: 7 stacks have negative sums, which folded lines cannot show$' "$tool_err"
count 1 --sum '299 - number' -f
expect_line '^stackcount: 1 stack has a negative sum, which folded lines cannot show$' "$tool_err"

run "$BIN/stackcount" --sum '$latency' --sum-unit ms "r:$calls:slow"
expect_status 2
expect_line '^stackcount: --sum-unit ms: \$latency is in ns; omit --sum-unit$' "$tool_err"
run "$BIN/stackcount" --sum text 'c:puts(char *text)'
expect_status 2
expect_line '^stackcount: a text, and only numbers can be added up$' "$tool_err"

# A value that cannot be read is counted as lost.
run_tool stackcount --sum '*(long *)number' "$probe"
"$TARGETS/stacks"
stop_tool INT
expect_line '^stackcount: 11 events are not counted: their value could not be read' "$tool_err"
