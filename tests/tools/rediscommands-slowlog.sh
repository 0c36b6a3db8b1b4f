#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# The times are the server's own: those of its slow log, to the microsecond.
start_redis --slowlog-log-slower-than 0 --slowlog-max-len 10000
cli() { redis-cli -s "$redis_socket" "$@"; }
run_tool rediscommands -p "$redis_pid" --json
for i in 1 2 3 4 5 6 7 8; do
	echo "set key$i $i"
	echo "lpush list $i"
	echo "lrange list 0 $i"
done | cli >"$T/out"
stop_tool INT
expect_status 0
cli --json slowlog get 10000 >"$T/slowlog"
python3 - "$tool_out" "$T/slowlog" <<'END'
import json, sys
wanted = ("set", "lpush", "lrange")
ours = [(row["us"], row["args"]) for row in map(json.loads, open(sys.argv[1])) if row["args"][0] in wanted]
logged = [(entry[2], entry[3]) for entry in reversed(json.load(open(sys.argv[2]))) if entry[3][0] in wanted]
assert len(ours) == 24 and ours == logged, (ours, logged)
END
