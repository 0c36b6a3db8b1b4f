#!/bin/bash
# shares: redis
# Where `ret` would be single-stepped, returns are seen at branches before it: equally often, in the
# same order, with the same results, arguments, memory and callers as at the return instructions.
# USCOPE_FORCE_STEP: as before Linux 6.19. USCOPE_FORCE_RETURNS: at return instructions only.
source "$(dirname "$0")/../../lib.sh"
need_command jq redis-benchmark
export USCOPE_FORCE_STEP=1

results() { # FILE
	jq -r 'select(.func) | "\(.func) \(.message) \(.user_stack // [])"' "$1" | LC_ALL=C sort -s -k 1,1
}

# Traces in both ways while the command runs, and compares; leaves the results in $T/results.
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

expect_branches() { # FUNCTION…
	local function
	run "$BIN/trace" --dry-run "${probes[@]}"
	for function in "$@"; do
		expect_line "$function at .*, branches before returns at 0x" "$tool_out"
	done
}

# The program prints what each function has returned.
program=$TARGETS/branches
probes=("r:$program:* \"%lx\", retval")
expect_branches guarded framed early less less_equal below equal unequal greater
both "$program" 40
for function in guarded framed early either sum_to stored straight less less_equal below below_equal \
	equal unequal greater greater_equal above above_equal is_negative overflows; do
	[ "$function" != early ] || continue # jumps() also jumps to it
	expect_equal "$(sed -n "s/^$function \([0-9a-f]*\) .*/\1/p" "$T/results" | xargs)" \
		"$(sed -n "s/^$function [0-9]* //p" "$T/out" | xargs)"
done

# Arguments that were saved at the entry; times; callers; memory that is written after the last branch.
probes=("r:$program:* (\$latency >= 0) \"%ld\", \$entry(arg1)")
expect_branches guarded framed early above is_negative straight
both "$program" 40
expect_equal "$(sed -n 's/^guarded \([0-9]*\) .*/\1/p' "$T/results" | xargs)" "$(seq -s ' ' 0 39)"
probes=(-U "r:$program:* \"%ld\", \$entry(arg1)")
both "$program" 20
expect_count 20 '^guarded .*\["main' "$T/results"
probes=("r:$program:stored \"%ld\", \$entry(arg1)")
expect_branches stored
probes=("r:$program:stored \"%ld\", *(long *)\$entry(arg2)")
both "$program" 40
awk '(NR - 1) % 4 != 1 && $2 != 2 * (NR - 1) { print; wrong = 1 } END { exit wrong || NR != 40 }' "$T/results" ||
	fail 'the memory is not that at the return'

# Tail calls, jump tables, parts moved away.
probes=("r:$TARGETS/exits:* \"%lx\", retval")
expect_branches
both "$TARGETS/exits" 50
# By main(), by conditional_tail() for n > 2, by table() for n % 8 == 3.
expect_count $((50 + 47 + 6)) '^tail_caller ' "$T/results"
probes=("r:$TARGETS/exits:moved_back")
both "$TARGETS/exits" 50
expect_count 50 '^moved_back ' "$T/results"

# Functions of a server that only commands call.
start_redis
load() {
	redis-benchmark -s "$redis_socket" -n 200 -c 2 -q -r 100 -t set,get,lpush,lrange_100,sadd,hset,zadd,mset
	redis-cli -s "$redis_socket" eval 'return redis.call("keys", "*")' 0
	redis-cli -s "$redis_socket" no-such-command || true
}
probes=()
for function in '*Command' 'lookupKey*' 'addReply*' setKey createObject call dbAdd 'listType*' 'hashType*' 'zset*'; do
	probes+=("r:redis-server:$function \"%lx\", retval")
done
expect_branches processCommand
both load
[ "$(wc -l <"$T/results")" -gt 5000 ] || fail "only $(wc -l <"$T/results") returns"
