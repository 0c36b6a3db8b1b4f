#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Structures with everything in them, containers, variables of the file, and the functions of
# expressions, compared with what the program says of itself.
program=$TARGETS/whole
thing=$("$program" | sed -n 's/^thing //p')
shows() { # WANTED PROBE…
	local wanted=$1
	shift
	run "$BIN/trace" -q "$@" --exec -- "$program"
	expect_status 0
	expect_equal "$* $(sed -nE 's/^[0-9]+ +[0-9]+ +whole *[^ ]+ +//p' "$tool_out")" "$* $wanted"
}

shows "$thing"$'\n'"$thing" "$program:whole::show \"%v\", thing"
shows $'{a=1, b=-2, c=3} NULL\n{a=1, b=-2, c=3} text' "$program:whole::show \"%v %s\", pair, text"
shows '5' "$program:whole::share \"%v\", shared->color == 5 ? 5 : 0"
run "$BIN/trace" -q "$program:whole::show" --exec -- "$program"
expect_line ' thing=0x[0-9a-f]+, pair=\{a=1, b=-2, c=3\}, text=NULL, n=5$' "$tool_out"
run "$BIN/trace" -q --json "$program:whole::show \"%v %s\", pair, text" --exec -- "$program"
expect_equal "$(grep -o '"args":.*' "$tool_out" | head -1)" '"args":[{"a":1,"b":-2,"c":3},null]}'

# Stacks are counted without the parameters.
run "$BIN/stackcount" -D 1 "$program:whole::show (pair.b == -2)"
expect_status 0

run "$BIN/funclatency" -d 1 --from "$program:whole::show" --to "r:$program:whole::show"
expect_status 0

# Containers and smart pointers.
shows '3 2 1 4 4' "$program:whole::hold \"%d %d %d %d %d\", pairs.size(), tree.size(), table.size(), list.size(), fixed.size()"
shows '5 9 78 green' "$program:whole::hold \"%d %d %d %s\", pairs[1].b, fixed[2], owner->id, owner->color"
shows '{a=7, b=8, c=9}' "$program:whole::hold (pairs.size() == 3) \"%v\", pairs[2]"
shows '79 name 1' "$program:whole::share \"%d %s %d\", shared->id, shared->name, shared.get() != 0"

# Structures in registers: members in the upper half of one, bit-fields, sizes that are no power of
# two; what is in a vector register is unknown. A vector by value is passed by its address.
shows '-2 9 -7 -300 6' "$program:whole::copy \"%d %d %d %d %d\", pair.b, bits.low, bits.high, bits.next, mixed.n"
shows '{low=9, high=-7, next=-300, tail='\''t'\''} {text="abcde"} {real=?, n=6}' "$program:whole::copy \"%v %v %v\", bits, letters, mixed"
shows '8' "$program:whole::copy (bits.low == 9 && list.size() == 2) \"%d\", list[1]"
shows '{list=[1, 0, 255]} [1, 0, 255] 0 5' "$program:whole::none \"%v %v %d %d\", octets, octets.list, empty.size(), two[1]"
run "$BIN/trace" -q "$program:whole::none" --exec -- "$program"
expect_line ', octet=200$' "$tool_out"

# Variables, at entries and returns.
shows $'40 77 7\n41 77 7' "$program:whole::show \"%d %d %d\", whole::counter, whole::first->id, whole::Counters::all"
shows 'Oslo 43' "$program:whole::copy \"%s %d\", whole::city, whole::hidden"
shows $'41\n42' "r:$program:whole::show \"%d\", whole::counter"
shows '41' "$program:whole::show (whole::counter == 41) \"%d\", whole::counter"

# Functions.
shows '192.0.2.7:8080 192.0.2.7 8080' "$program:whole::share \"%s %s %d\", ntop(address), ntop(ip), port(address)"
shows '11 0 1' "$program:whole::share (ends_with(file, \".json\")) \"%d %d %d\", len(file), strcmp(file, \"config.json\"), strncmp(file, \"other\", 5)"
shows '' "$program:whole::share (ends_with(file, \".jso\") || memcmp(address, \"\\x02\\x00\\x1f\\x91\") == 0) \"bad\""
shows "$((0x34120000)) 4.05 MiB 1.23ms" "$program:whole::share \"%d %h %t\", bswap(0x1234), 4246732, 1230000"
run "$BIN/trace" -q "$program:whole::share \"%d %s %U\", \$ppid, \$pcomm, \$return_address" --exec -- "$program"
expect_line ' [0-9]+ trace main\+0x[0-9a-f]+ \[whole\]$' "$tool_out"
shows '8 12' "$program:whole::share \"%d %d\", offsetof(whole::Pair, c), offsetof(whole::Thing, in.real) - offsetof(whole::Thing, in.x) + sizeof(int)"

# Without debug information, variables have the size of their symbols.
program=$T/whole
strip -g -o "$program" "$TARGETS/whole"
shows $'40\n41' "$program:whole::show \"%d\", whole::counter"

wrong() { # WANTED PROBE
	run "$BIN/trace" "$2"
	expect_status 2 1
	expect_line "$1" "$tool_err"
}
program=$TARGETS/whole
wrong 'the size of .*Pair is not known' "$program:whole::show \"%d\", pair.size()"
wrong 'is not a smart pointer that is known' "$program:whole::show \"%d\", thing.get()"
wrong 'len\(\) takes a text that knows its length' "$program:whole::show \"%d\", len(text)"
wrong 'ntop\(\) only shows an address' "$program:whole::share (ntop(ip) == \"192.0.2.7\") \"\""
