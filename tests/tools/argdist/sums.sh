#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"
need_command jq

# Sums, averages and extremes stand beside the counts. flood() gets the numbers 1 to 100 in each of
# two threads.
flood=$TARGETS/flood
specifier="p:$flood:flood(long thread, long number):int:thread"
gather "$flood" 2 100 -- -C "$specifier" --stats-of number --sum 'thread * 1000' --percent --sort key
expect_line '^	COUNT +% +SUM\(thread \* 1000\) +% +SUM\(number\) +% +AVG\(number\) +MIN\(number\) +MAX\(number\) +EVENT$' "$tool_out"
expect_equal "$(rows | tr -s ' ')" '100 50.0 100000 33.3 5050 50.0 50.5 1 100 thread = 1
100 50.0 200000 66.7 5050 50.0 50.5 1 100 thread = 2'

# The first sum orders the rows; --sort chooses another column, --top the greatest ones.
keys="p:$flood:flood(long thread, long number):int:number % 4"
gather "$flood" 1 100 -- -C "$keys" --sum '-number'
expect_equal "$(rows | awk '{ print $2, $NF }')" "$(printf '%s\n' '-1300 0' '-1275 3' '-1250 2' '-1225 1')"
gather "$flood" 1 100 -- -C "$keys" --min-of number --max-of number --sort max -T 2
expect_equal "$(rows | awk '{ print $2, $3, $NF }')" "$(printf '%s\n' '3 99 3' '4 100 0')"
gather "$flood" 1 100 -- -C "$keys" --avg number --sort key
expect_equal "$(rows | awk '{ print $2, $NF }')" "$(printf '%s\n' '52.0 0' '49.0 1' '50.0 2' '51.0 3')"

# Without keys; JSON has the same. Sums are exact beyond 64 bits.
gather "$flood" 1 100 -- --json -C "p:$flood:flood(long thread, long number)" --stats-of number \
	--sum '(long)0x4000000000000000'
expect_equal "$(jq -c '[.count, .sums[1].sum, .sums[1].avg, .sums[1].min, .sums[1].max]' "$tool_out")" '[100,5050,50.5,1,100]'
expect_line '"sum":461168601842738790400,' "$tool_out"

# Each interval has its own sums and extremes; with -c, those since the start.
run_tool argdist -i 0.3 --json -C "p:$flood:flood(long thread, long number)" --stats-of number
"$flood" 1 100 30
stop_tool INT
expect_status 0
expect_equal "$(jq -sc 'map(.sums[0]) | [(map(.sum) | add), .[0].min, .[-1].max]' "$tool_out")" '[5050,1,100]'
jq -se 'map(.sums[0]) | length > 1 and .[1].min > 1 and .[0].max < 100' "$tool_out" >/dev/null || fail 'the extremes are not those of the interval'
run_tool argdist -c -i 0.3 --json -C "p:$flood:flood(long thread, long number)" --stats-of number
"$flood" 1 100 5
stop_tool INT
expect_equal "$(jq -sc '.[-1].sums[0] | [.sum, .min, .max]' "$tool_out")" '[5050,1,100]'

# A latency, by a value from the entry.
calls=$TARGETS/calls
gather "$calls" 1 slow:10 -- -C "r:$calls:slow(int n):int:retval >= 0" --min-of '$latency' --sum retval
rows | awk '{ exit !($1 == 10 && $2 == 45 && $3 >= 2000000) }' || fail "wrong: $(rows)"

# Values that cannot be read are counted as lost.
gather "$flood" 1 10 -- -C "p:$flood:flood(long thread, long number)" --sum '*(long *)number'
expect_line '^argdist: 10 events are not counted: their value could not be read' "$tool_err"
