#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# == compares whole strings; starts_with() compares prefixes. The program calls show() with these
# strings, in order: octi, octifest, oct, "", "with\0nul", …
show="$TARGETS/values:show"
expect_matches() { # CONDITION WANTED; WANTED: the strings of the events
	run "$BIN/trace" "$show ($1) \"<%s>\", text" --exec -- "$TARGETS/values"
	expect_status 0
	expect_equal "$1: $(grep -o '<[^ ]*>$' "$tool_out" | xargs -d '\n')" "$1: $2"
}
expect_matches 'text == "octi"' '<octi>'
expect_matches 'arg1 == "octi"' '<octi>'
expect_matches '"octi" == text' '<octi>'
expect_matches 'text == "octifes"' ''
expect_matches 'STRCMP("oct", text)' '<oct>'
expect_matches '!STRCMP("octi", text) && length == 3' '<oct>'
expect_matches 'starts_with(text, "oct")' '<octi> <octifest> <oct>'
expect_matches 'text != "octi" && starts_with(text, "oct")' '<octifest> <oct>'
expect_matches 'text == ""' '<>'
expect_matches 'str(text, length) == "oct" || str(text, 3) == "wit"' '<oct> <with>'
expect_matches 'buf(text, 8) == "with\0nul"' '<with>'
expect_matches 'text == "with"' '<with>'
expect_matches '*text == 0x77 || text[3] == 0x69 && !text[4]' '<octi> <with>'
expect_matches 'length > 3 && length <= 8 && text != 0 && starts_with(text, "o")' '<octi> <octifest>'

# Each of several probes has its own condition. A return probe uses the entry's value.
run "$BIN/trace" "$TARGETS/values:sum (a > 0)" "$TARGETS/values:sum(int x, int y) (y == 3) \"%d\" x" \
	"r:$TARGETS/values:sum ((int)retval == -2)" "r:$TARGETS/values:put ((long)retval < 0) \"%ld\" retval" \
	"r:$TARGETS/values:show (\$entry(text) == \"octi\") \"%d\", retval" "$TARGETS/values:show(char*x, int n) (STRCMP(\"oct\",x)) \"%d\", n" \
	--exec -- "$TARGETS/values"
expect_status 0
expect_equal "$(awk '/ values / { $1 = $2 = $3 = ""; print $0 }' "$tool_out" | xargs -d '\n')" \
	'   sum a=7, b=-9    sum retval=-2    sum -2147483647    show 4    show 3    put -1'
