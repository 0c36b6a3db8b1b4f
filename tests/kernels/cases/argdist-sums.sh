# shellcheck shell=sh
. /kernels/lib.sh

# Values are added up beside counts: without keys, by a key, by stacks, and of chosen events.
flood='p:/targets/flood:flood(long thread, long number)'
sums() { sed -nE 's/^\t([0-9]+ +[0-9]+.*[^ ]) *$/\1/p' "$tool_out" | tr -s ' '; }
run_tool argdist -i 1000 -C "$flood" --stats-of number
/targets/flood 1 100 >/dev/null
stop_tool TERM
expect_equal "$(sums)" '100 5050 50.5 1 100 total calls'
run_tool argdist -i 1000 -C "$flood:long:number % 2" --sum number --max-of number --sort key
/targets/flood 1 100 >/dev/null
stop_tool TERM
expect_equal "$(sums)" "50 2550 100 number % 2 = 0
50 2500 99 number % 2 = 1"
run_tool argdist -i 1000 -U -C "$flood:long:number % 2" --sum number
/targets/flood 1 100 >/dev/null
stop_tool TERM
expect_line '^	50 +2550 ' "$tool_out"
run_tool argdist -i 1000 --sample 50% -C "$flood" --sum number
/targets/flood 1 1000 >/dev/null
stop_tool TERM
expect_line 'estimates' "$tool_err"
