#!/bin/bash
# ring: first
source "$(dirname "$0")/../lib.sh"

# Conditions on strings are true equality; prefixes have a form of their own. The calls, in order:
# show of octi, octifest, oct, "", "with\0nul", …
show="$TARGETS/values:show"
picks() { # CONDITION WANTED: the strings of the events
	run "$BIN/trace" "$show ($1) \"<%s>\", text" --exec -- "$TARGETS/values"
	expect_status 0
	expect_equal "$1: $(grep -o '<[^ ]*>$' "$tool_out" | xargs -d '\n')" "$1: $2"
}
picks 'text == "octi"' '<octi>'
picks 'arg1 == "octi"' '<octi>'
picks '"octi" == text' '<octi>'
picks 'text == "octifes"' ''
picks 'STRCMP("oct", text)' '<oct>'
picks '!STRCMP("octi", text) && length == 3' '<oct>'
picks 'starts_with(text, "oct")' '<octi> <octifest> <oct>'
picks 'text != "octi" && starts_with(text, "oct")' '<octifest> <oct>'
picks 'text == ""' '<>'
picks 'str(text, length) == "oct" || str(text, 3) == "wit"' '<oct> <with>'
picks 'buf(text, 8) == "with\0nul"' '<with>'
picks 'text == "with"' '<with>'
picks '*text == 0x77 || text[3] == 0x69 && !text[4]' '<octi> <with>'
picks 'length > 3 && length <= 8 && text != 0 && starts_with(text, "o")' '<octi> <octifest>'

# Of several probes each has its own. A probe at a return sees the value as it was.
run "$BIN/trace" "$TARGETS/values:sum (a > 0)" "$TARGETS/values:sum(int x, int y) (y == 3) \"%d\" x" \
	"r:$TARGETS/values:sum ((int)retval == -2)" "r:$TARGETS/values:put ((long)retval < 0) \"%ld\" retval" \
	"r:$TARGETS/values:show (\$entry(text) == \"octi\") \"%d\", retval" "$TARGETS/values:show(char*x, int n) (STRCMP(\"oct\",x)) \"%d\", n" \
	--exec -- "$TARGETS/values"
expect_status 0
expect_equal "$(awk '/ values / { $1 = $2 = $3 = ""; print $0 }' "$tool_out" | xargs -d '\n')" \
	'   sum    sum    sum -2147483647    show 4    show 3    put -1'
