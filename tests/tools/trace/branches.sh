#!/bin/bash
# shares: redis
# Where `ret` would be single-stepped, returns are seen at branches before it. Two tools trace the
# same calls at once, one by branches, one by the return instructions alone: each function returns
# equally often, with the same results, in the same order. USCOPE_FORCE_STEP: as before Linux 6.19.
source "$(dirname "$0")/../../lib.sh"
need_command jq redis-benchmark
export USCOPE_FORCE_STEP=1

results() { # FILE
	jq -r 'select(.func) | "\(.func) \(.tid) \(.args)"' "$1" | LC_ALL=C sort -s -k 1,1
}

# Traces $probes in both ways while the command runs; leaves the results in $T/results.
both() { # COMMAND…
	run_tool trace --json "${probes[@]}"
	local pid=$tool_pid out=$tool_out err=$tool_err
	USCOPE_FORCE_RETURNS=1 run_tool trace --json "${probes[@]}"
	"$@" >"$T/out"
	stop_tool INT
	expect_status 0
	results "$tool_out" >"$T/by-return"
	tool_pid=$pid tool_out=$out tool_err=$err
	stop_tool INT
	expect_status 0
	results "$tool_out" >"$T/results"
	cmp -s "$T/by-return" "$T/results" || fail "they differ: $(diff "$T/by-return" "$T/results" | head -n 5)"
}

expect_branches() {
	run "$BIN/trace" --dry-run "${probes[@]}"
	expect_line ', branches before returns at 0x' "$tool_out"
}

# Tail calls, jump tables, parts moved away.
probes=("r:$TARGETS/exits:* \"%lx\", retval")
expect_branches
both "$TARGETS/exits" 50
# By main(), by conditional_tail() for n > 2, by table() for n % 8 == 3.
expect_count $((50 + 47 + 6)) '^tail_caller ' "$T/results"

# Functions of a server that only commands call: their results, and arguments saved at the entry.
start_redis
load() {
	redis-benchmark -s "$redis_socket" -n 200 -c 2 -q -r 100 -t set,get,lpush,lrange_100,sadd,hset,zadd,mset
	redis-cli -s "$redis_socket" eval 'return redis.call("keys", "*")' 0
	redis-cli -s "$redis_socket" no-such-command || true
}
functions=('*Command' 'lookupKey*' 'addReply*' 'setKey' 'createObject' 'call' 'dbAdd' 'listType*' 'hashType*' 'zset*')
for values in '"%lx", retval' '"%lx", $entry(arg1)'; do
	probes=()
	for function in "${functions[@]}"; do
		probes+=("r:redis-server:$function $values")
	done
	expect_branches
	both load
	[ "$(wc -l <"$T/results")" -gt 5000 ] || fail "only $(wc -l <"$T/results") returns"
done
