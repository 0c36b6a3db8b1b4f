#!/bin/bash
# timeout: 400
# ring: first
# shares: redis
source "$(dirname "$0")/../../lib.sh"

# Memory of a server with its own allocator (jemalloc): a thousand values of 10,000 bytes, until
# they are deleted.
start_redis
run_tool memleak --json -p "$redis_pid" -o 0 -T 1000 -i 0.5
for ((i = 0; i < 1000; i++)); do
	printf 'SET key%d "%010000d"\r\n' "$i" "$i"
done | redis-cli -s "$redis_socket" --pipe >"$T/pipe"
held() { # prints the count of blocks of about that size in the last report
	python3 - "$tool_out" <<-'END'
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1]) if line.endswith("}\n")]
		rows = [row for row in rows if "bytes" in row]
		large = [row for row in rows if row["time_ns"] == rows[-1]["time_ns"] and 9900 <= row["bytes"] / row["count"] <= 11000]
		print(sum(row["count"] for row in large))
	END
}
wait_for '[ "$(held)" -ge 1000 ] && [ "$(held)" -le 1010 ]' 20
redis-cli -s "$redis_socket" flushall >"$T/flushed"
wait_for '[ "$(held)" -le 10 ]' 20
stop_tool INT
expect_status 0
expect_equal "$(redis-cli -s "$redis_socket" ping)" PONG

# If free() starts with arithmetic on its argument, the tool probes the jump after that, which needs
# no single step.
jemalloc=$(awk '$6 ~ /\/libjemalloc\./ { print $6; exit }' "/proc/$redis_pid/maps")
[ -n "$jemalloc" ] || skip 'this server does not use jemalloc; the rest passed'
start=$(nm -D "$jemalloc" | awk '$3 ~ /^free(@|$)/ { print $1 }')
code=$(objdump -d --start-address=0x"$start" --stop-address=$((16#$start + 64)) "$jemalloc")
run "$BIN/memleak" -p "$redis_pid" -v --dry-run
address=$(sed -nE 's/.* free at 0x([0-9a-f]+) .*/\1/p' "$tool_out" | head -n 1)
expect_line "^ +$address:.*[[:space:]](j[a-z]+|push|call) " <(printf '%s\n' "$code")
