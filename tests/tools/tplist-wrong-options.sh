#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# Wrong use: one line, status 2.
# privileges: none
refused() { # MESSAGE OPTION…
	run "$BIN/tplist" "${@:2}"
	expect_status 2
	expect_equal "$(cat "$tool_out") $(wc -l <"$tool_err")" ' 1'
	expect_line "^tplist: .*$1" "$tool_err"
}
refused '--no-such' --no-such
refused 'FILE' -l
refused 'abc' -p abc
refused 'more' one more
refused '-l FILE' -f main
refused 'missing|empty' -l ''
run "$BIN/tplist" --version
expect_status 0
expect_line '^tplist [0-9]' "$tool_out"
for tool in tplist trace; do
	run "$BIN/$tool" --help
	expect_status 0
	expect_line '^Examples:$' "$tool_out"
done
