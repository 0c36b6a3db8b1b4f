#!/bin/bash
# ring: first
# shares: redis
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# A stripped server: counts the strings that commands create, exactly.
start_redis
commands() {
	for i in 1 2 3 4 5; do echo "set key:$i v"; done
	for _ in 1 2 3; do echo 'get key:2'; done
}
run_tool argdist -i 1000 -p "$redis_pid" \
	-C 'p:redis-server:createStringObject(char *s, size_t n):char*:str(s, n)' \
	-C 'p:redis-server:createStringObject(char *s, size_t n)' \
	-H 'r:redis-server:processCommand():u64:$latency' --json
commands | redis-cli -s "$redis_socket" >"$T/replies"
clients_gone
stop_tool INT
expect_status 0
python3 - "$tool_out" <<'END'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
counts = {row["key"]["str(s, n)"]: row["count"] for row in rows if "str(s, n)" in row["key"]}
# redis-cli may send additional commands when it connects.
assert {k: v for k, v in counts.items() if k in ("set", "get", "v") or k.startswith("key:")} == \
    {"set": 5, "get": 3, "v": 5, "key:1": 1, "key:2": 4, "key:3": 1, "key:4": 1, "key:5": 1}, counts
totals = [row["count"] for row in rows if row["key"] == {}]
assert totals[0] == sum(counts.values()), rows
assert totals[1] >= 8, rows
END
