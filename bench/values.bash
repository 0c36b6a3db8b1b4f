# shellcheck shell=bash
# Values: what trace shows without a format, contains(), sums, and the time between two events.

values() {
	local program=$bench/flood-values peer=() at
	load_of() { echo "taskset -c $(($(nproc) - 1)) $program $1 4000 50"; }
	local chars='flood_chars(int number, long value, char *text)'
	measure -r 21 -l "$(load_of text)" "$trace" "$program:flood_text" --- "$trace" "$program:flood_text \"\""
	local shown empty
	shown=$(field 1 load) empty=$(field 2 load)
	measure -r 21 -l "$(load_of chars)" "$trace" "$program:$chars \"%d %d %s\", number, value, text"
	row 'two integers and a std::string, ns; floor: char *' "$shown" "$(field 1 load)" 1.10x
	row '  floor: nothing shown' "$shown" "$empty" ''

	at="uprobe:$program:flood_chars"
	[ -z "$has_bpftrace" ] || peer=(--- "${bpftrace[@]}" "$at /strcontains(str(arg2, 80), \"a needle\")/ { printf(\"%d\n\", arg0) }")
	measure -r 21 -l "$(load_of chars)" "$trace" "$program:$chars (contains(text, \"a needle\")) \"%d\", number" \
		--- "$trace" "$program:$chars (text == \"a needle\") \"%d\", number" "${peer[@]}"
	row 'contains() on 80 bytes, ns; floor: ==' "$(field 1 load)" "$(field 2 load)" '' "$(field 3 load)"
	[ -z "$has_bpftrace" ] || row '  compared with bpftrace' "$(field 1 load)" "$(field 3 load)" 1.20x

	peer=()
	[ -z "$has_bpftrace" ] || peer=(--- "${bpftrace[@]}" "$at { @ = sum(arg1) }")
	measure -r 21 -l "$(load_of chars)" "$argdist" -i 1000 -C "p:$program:$chars" --sum value \
		--- "$argdist" -i 1000 -C "p:$program:$chars" "${peer[@]}"
	row 'sum, ns; floor: count' "$(field 1 load)" "$(field 2 load)" 1.02x "$(field 3 load)"

	peer=()
	[ -z "$has_bpftrace" ] || peer=(--- "${bpftrace[@]}" "uprobe:$program:flood_begin { @s[tid] = nsecs }
		uprobe:$program:flood_end /@s[tid]/ { @ = hist(nsecs - @s[tid]); delete(@s[tid]) }")
	measure -r 21 -l "$(load_of pair)" "$funclatency" -d 60 --from "p:$program:flood_begin" --to "p:$program:flood_end" \
		--- "$funccount" "$program:flood_begin" "$program:flood_end" "${peer[@]}"
	row 'time between two events, ns; floor: both counted' "$(field 1 load)" "$(field 2 load)" '' "$(field 3 load)"
	[ -z "$has_bpftrace" ] || row '  compared with bpftrace' "$(field 1 load)" "$(field 3 load)" 0.80x
}
