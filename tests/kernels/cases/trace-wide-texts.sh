# shellcheck shell=sh
. /kernels/lib.sh

# Texts of UTF-16: the bytes of "abc" are those of two such characters.
run_tool trace '/targets/values:put (starts_with(wstr(arg2), "扡c")) "%.3s", wstr(arg2)'
/targets/values >/dev/null
stop_tool TERM
expect_count 1 ' put +扡$' "$tool_out"
