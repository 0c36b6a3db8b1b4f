#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# BCC's columns: header and widths, with times and the CPU. Without a message, the last column has
# no title.
flood="$TARGETS/flood:flood"
columns() { # OPTION… -- HEADER ROW
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	run "$BIN/trace" "${options[@]}" --exec -- "$TARGETS/flood" 1 1
	expect_status 0
	expect_equal "$(grep PID "$tool_out")" "$2"
	expect_line "$3" "$tool_out"
}
row='[0-9]+ {1,6}[0-9]+ {1,6}flood {11}flood {12}'
columns "$flood" -- 'PID     TID     COMM            FUNC             -' "^${row}thread=1, number=1\$"
columns "$TARGETS/flood:[fm][la][oi]* \"\"" -- 'PID     TID     COMM            FUNC             -' "^${row}\$"
columns "$flood \"n=%d\", arg2" -- 'PID     TID     COMM            FUNC             -' "^${row}n=1\$"
columns -t "$flood \"x\"" -- 'TIME     PID     TID     COMM            FUNC             -' "^[0-9]\.[0-9]{6} ${row}x\$"
columns -t -C "$flood \"x\"" -- 'TIME     CPU PID     TID     COMM            FUNC             -' "^[0-9]\.[0-9]{6} [0-9]+ +${row}x\$"
columns -T "$flood \"x\"" -- 'TIME            PID     TID     COMM            FUNC             -' "^[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{6} ${row}x\$"
columns -C "$flood \"x\"" -- 'CPU PID     TID     COMM            FUNC             -' "^[0-9]+ +${row}x\$"
columns -t -u "$flood \"x\"" -- 'TIME              PID     TID     COMM            FUNC             -' "^[0-9]{10}\.[0-9]{6} +${row}x\$"

# With -u, the times are seconds since 1970. Long names shift the columns, but a blank follows them.
before=$(date +%s)
run "$BIN/trace" --timestamp --unix-timestamp "$flood" --exec -- "$TARGETS/flood"
seen=$(awk '/ flood / { print int($1) }' "$tool_out")
[ "$seen" -ge "$((before - 1))" ] && [ "$seen" -le "$(($(date +%s) + 1))" ] || fail "$seen is not now"
run "$BIN/trace" --time "$TARGETS/names_cpp:shapes::area(int, unsigned long) \"%d\", arg1" --exec -- "$TARGETS/names_cpp"
expect_no_line 'names_cppshapes|area[0-9]' "$tool_out"
