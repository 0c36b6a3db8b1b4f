# shellcheck shell=sh
. /kernels/lib.sh

# Calls of methods as a tree; a fixture stands in for Perl.
cp /targets/runtime "$T/perl5.36"
start_target "$T/perl5.36"
run_tool uflow --json "$target_pid"
echo calls >&8
wait_for "grep -q done '$target_out'" 60
stop_tool INT
expect_equal "$(grep -v "^Tracing .* Press Ctrl-C to end\.$" "$tool_err")" ""
expect_count 500 '"event":"entry",.*"method":"Octi\.leaf"' "$tool_out"
expect_count 500 '"event":"return",.*"method":"Octi\.leaf"' "$tool_out"
expect_count 10 '"event":"entry",.*"method":"Octi\.outer"' "$tool_out"
