# shellcheck shell=sh
. /kernels/lib.sh

# A USDT probe's semaphore is raised only while a tracer listens, also if the tracer is killed.
program=/targets/operands
start_target "$program" 100000
count() { tail -n 1 "$target_out"; }
wait_for '[ "$(count)" = 0 ]' 60
run_tool trace -p "$target_pid" "u:$program:counted \"%d\", arg1"
wait_for '[ "$(count)" = 1 ]' 60
wait_for "grep -q ' counted  *1\$' '$tool_out'" 60
kill -KILL "$tool_pid"
wait_for '[ "$(count)" = 0 ]' 60
run_tool trace "u:$program:counted \"%d\", arg1"
wait_for '[ "$(count)" = 1 ]' 60
stop_tool TERM
wait_for '[ "$(count)" = 0 ]' 60
alive "$target_pid" || fail 'the program has ended'
