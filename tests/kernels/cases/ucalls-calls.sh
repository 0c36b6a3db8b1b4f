# shellcheck shell=sh
. /kernels/lib.sh

# Calls of methods and their times, and system calls; a fixture stands in for Perl.
cp /targets/runtime "$T/perl5.36"
start_target "$T/perl5.36"
run_tool ucalls -H -S --json "$target_pid"
echo calls >&8
wait_for "grep -q done '$target_out'" 60
stop_tool INT
expect_line '"class":"Octi","method":"leaf","calls":500,' "$tool_out"
expect_line '"class":"Octi","method":"outer","calls":10,' "$tool_out"
expect_line '"kind":"syscall","method":"write","calls":[1-9],' "$tool_out"
