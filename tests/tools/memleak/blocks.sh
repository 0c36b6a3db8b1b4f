#!/bin/bash
# timeout: 400
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Blocks that are kept are shown, to the byte, for every allocation function; freed ones are not.
all='2700 3
5328 16
5400 6
10000 5
10010 10
11011 11
11520 18
11900 17
13260 13
14056 14
15120 15
60036 12'
# Prints "BYTES COUNT" for each function and size.
held() { # FILE
	python3 - "$1" <<-'END'
		import collections, json, sys
		sums = collections.Counter()
		for line in open(sys.argv[1]):
		    row = json.loads(line)
		    if "bytes" in row:
		        key = row["user_stack"][0].partition("+0x")[0], row["bytes"] / row["count"]
		        sums[key] += row["count"]
		for bytes, count in sorted((int(count * key[1]), count) for key, count in sums.items()):
		    print(bytes, count)
	END
}

start_worker "$TARGETS/leaks"
run_tool memleak --json -p "$target_pid" -o 0 -T 100 100
work keep
stop_tool INT
expect_status 0
expect_equal "$(held "$tool_out")" "$all"
# With the stacks of the allocations.
expect_line '"bytes":10010,"count":10,.*"keep_malloc\(\)\+0x[0-9a-f]+","main\+' "$tool_out"
expect_no_line 'lose_nothing' "$tool_out"

# Freed, then allocated again: first no blocks are left, then all of them.
run_tool memleak --json -p "$target_pid" -o 0 -T 100 100
work keep drop
stop_tool TERM
expect_status 0
expect_equal "$(held "$tool_out")" ''
run_tool memleak --json -p "$target_pid" -o 0 -T 100 100
work keep drop keep
stop_tool TERM
expect_equal "$(held "$tool_out")" "$all"
# Freeing blocks that are older than the tool changes nothing.
run_tool memleak --json -p "$target_pid" -o 0 -T 100 100
work drop keep
stop_tool TERM
expect_equal "$(held "$tool_out")" "$all"

# Size limits: from 1005 to 5003 bytes.
run_tool memleak --json -p "$target_pid" -o 0 -z 1005 -Z 2000 100
work drop keep
stop_tool INT
expect_equal "$(held "$tool_out")" "$(printf '10000 5\n13260 13\n15120 15')"
stop_target KILL

jemalloc=$(find /usr/lib -name 'libjemalloc.so.2' -print -quit)
[ -n "$jemalloc" ] || skip 'jemalloc is not installed; the rest passed'
start_worker env LD_PRELOAD="$jemalloc" "$TARGETS/leaks"
run_tool memleak --json -p "$target_pid" -o 0 -T 100 100
work keep
stop_tool INT
expect_status 0
expect_equal "$(held "$tool_out")" "$all"
