# shellcheck shell=sh
# timeout: 600
. /kernels/lib.sh

# Stacks weighted by a value, and by the time of the call; of a sample.
run_tool stackcount --sum number -f '/targets/stacks:work(int number)'
/targets/stacks
stop_tool TERM
expect_line ';main;seldom;work 201$' "$tool_out"
expect_line ';main;often;work 3$' "$tool_out"
run_tool stackcount --sum '$latency' --min 2ms r:/targets/calls:slow
/targets/calls 1 slow:3
stop_tool TERM
expect_count 1 ' ms \(3 events\)$' "$tool_out"
run_tool stackcount --every 5 '/targets/calls:plain'
/targets/calls 1 plain:100
stop_tool TERM
expect_line '^    (90|95|100)$' "$tool_out" # several processors may have seen parts
