#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# -f: functions by name or pattern, mangled or demangled; with -v address, size and symbol, compared
# with nm.
# privileges: none
names=$TARGETS/names_cpp
run "$BIN/tplist" -l "$names" -f 'shapes::area*'
expect_status 0
expect_equal "$(cat "$tool_out")" "$names shapes::area(int)
$names shapes::area(int, unsigned long)"
run "$BIN/tplist" -l "$names" --functions 'shapes::area(int)'
expect_equal "$(cat "$tool_out")" "$names shapes::area(int)"
run "$BIN/tplist" -l "$names" -f '_ZN6shapes4area*'
expect_count 2 'shapes::area' "$tool_out"
# Unlike a probe, a listing may match several functions: a name with overloads lists all of them.
run "$BIN/tplist" -l "$names" -f shapes::area
expect_status 0
expect_count 2 'shapes::area' "$tool_out"

read -r address size _ < <(nm -S "$names" | grep ' _ZN6shapes4areaEi$')
run "$BIN/tplist" -v -l "$names" -f 'shapes::area(int)'
expect_equal "$(cat "$tool_out")" "$names $(printf %#x "0x$address") $((0x$size)) _ZN6shapes4areaEi shapes::area(int)"
run "$BIN/tplist" --json -l "$names" -f 'shapes::area(int)'
expect_line "\"function\":\"shapes::area\(int\)\",\"symbol\":\"_ZN6shapes4areaEi\",\"address\":$((0x$address)),.*\"size\":$((0x$size))" "$tool_out"

run "$BIN/tplist" -l "$names" -f shapes::aria
expect_status 1
expect_line '^tplist: .*shapes::area' "$tool_err"
