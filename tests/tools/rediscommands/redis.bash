# shellcheck shell=bash disable=SC2154 # redis_socket, tool_out: lib.sh
# For tests of rediscommands with Redis and its forks: compares its output with MONITOR, the slow
# log and INFO.

# Checks that rediscommands shows each command of MONITOR once, with all arguments: pipelines,
# transactions, scripts, binary data. COMMAND-NOT-SHOWN: some servers do not report EXEC to their
# slow log, where the tool reads commands. No argument has quotes, because MONITOR of Valkey 8.1
# does not escape them.
compare_with_monitor() { # [COMMAND-NOT-SHOWN]
	cli() { redis-cli -s "$redis_socket" "$@"; }
	start_target_and_wait redis-cli -s "$redis_socket" monitor
	run_tool rediscommands -p "$redis_pid" --json -Z 1024
	{
		cli set greeting 'two words, déjà'
		printf '\0\1\2\xff\n' | cli -x set binary
		cli set empty ''
		cli set number 12345
		cli incr number
		cli eval "redis.call('set', KEYS[1], ARGV[1]) return redis.call('get', KEYS[1])" 1 of-a-script 77
		printf 'multi\nset a 1\nget a\nexec\n' | cli
		redis-benchmark -s "$redis_socket" -q -c 5 -P 8 -n 400 -r 50 -t set,get,incr,lpush,rpop,sadd,hset,mset
		cli auth somebody of-their-own 2>&1
		cli get the-end
	} >"$T/out"
	wait_for "grep -q the-end '$target_out'" 30
	stop_target
	clients_gone
	stop_tool INT
	expect_status 0
	expect_no_line of-their-own "$tool_out"
	PYTHONPATH=$ROOT/tests/tools python3 -B - "$tool_out" "$target_out" "$@" <<'END'
import collections, json, re, sys
from tool_json import bytes_of
escapes = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", '"': '"', "\\": "\\"}
def unescape(match):
    return chr(int(match[1][1:], 16)) if match[1][0] == "x" else escapes[match[1]]
shown, monitored = collections.Counter(), collections.Counter()
for row in map(json.loads, open(sys.argv[1])):
    if row["args"][0] in ("CONFIG", "auth"):  # MONITOR omits these
        continue
    assert row["argc"] == len(row["args"]), row
    shown[tuple(bytes_of(a).decode("latin1") for a in row["args"])] += 1
for line in open(sys.argv[2], encoding="latin1"):
    found = re.match(r"[0-9.]+ \[.*?\] (.*)$", line)
    if found:
        words = re.findall(r'"((?:[^"\\]|\\.)*)"', found[1])
        monitored[tuple(re.sub(r"\\(x[0-9a-f]{2}|.)", unescape, word) for word in words)] += 1
for words in [("auth", "(redacted)", "(redacted)"), *((name,) for name in sys.argv[3:])]:
    del monitored[words]
assert sum(monitored.values()) > 3000, monitored
assert shown == monitored, (shown - monitored, monitored - shown)
END
}

# Checks that the latencies equal those of the server's slow log, to the microsecond. The server
# must be started with these options, which log every command.
log_everything=(--slowlog-log-slower-than 0 --slowlog-max-len 10000)
compare_with_slowlog() {
	cli() { redis-cli -s "$redis_socket" "$@"; }
	run_tool rediscommands -p "$redis_pid" --json
	for i in 1 2 3 4 5 6 7 8; do
		echo "set key$i $i"
		echo "lpush list $i"
		echo "lrange list 0 $i"
	done | cli >"$T/out"
	clients_gone
	stop_tool INT
	expect_status 0
	cli --json slowlog get 10000 >"$T/slowlog"
	python3 - "$tool_out" "$T/slowlog" <<'END'
import json, sys
wanted = ("set", "lpush", "lrange")
ours = [(row["latency_ns"] // 1000, row["args"]) for row in map(json.loads, open(sys.argv[1])) if row["args"][0] in wanted]
logged = [(entry[2], entry[3]) for entry in reversed(json.load(open(sys.argv[2]))) if entry[3][0] in wanted]
assert len(ours) == 24 and ours == logged, (ours, logged)
END
}

# Checks that failed commands have their error code (wrong types, scripts, commands in scripts), and
# that the numbers equal the failed calls in INFO. Not failed are commands after a rejected one in
# the same read, and those that a script runs after an error.
show_failures() {
	cli() { redis-cli -s "$redis_socket" "$@"; }
	cli set text a >"$T/out"
	cli config resetstat >>"$T/out"
	run_tool rediscommands -p "$redis_pid" --json
	{
		cli lpush text b
		cli incr text
		cli get text
		cli eval "redis.call('set', 'a', 1) return redis.call('lpush', 'text', 1)" 0
		cli eval "redis.pcall('incr', 'text') return redis.call('get', 'text')" 0
		cli eval "return redis.error_reply('MINE it is')" 0
		printf 'get\nset text c\nnosuch 1\nget text\n' | cli
		cli get the-end
	} >>"$T/out" 2>&1
	clients_gone
	stop_tool INT
	expect_status 0
	jq -r '"\(.args[:3] | map(if . == null or (type == "object") then "?" else . end) | join(" ") | split(" 0")[0]) \(.error // "ok")"' "$tool_out" |
		grep -iE '^(lpush|incr|get|set|eval) ' >"$T/failures"
	expect_equal "$(cat "$T/failures")" "lpush text b WRONGTYPE
incr text ERR
get text ok
set a 1 ok
lpush text 1 WRONGTYPE
eval redis.call('set', 'a', 1) return redis.call('lpush', 'text', 1) $1
incr text ERR
get text ok
eval redis.pcall('incr', 'text') return redis.call('get', 'text') ok
eval return redis.error_reply('MINE it is') MINE
set text c ok
get text ok
get the-end ok"
	expect_equal "$(jq -c 'select((.failed // false) != (.error != null))' "$tool_out")" ''
	# The server's own count. It counts rejected commands separately.
	cli info commandstats | tr -d '\r' | sed -n 's/^cmdstat_\([a-z]*\):.*failed_calls=\([0-9]*\)/\1 \2/p' |
		awk '$1 ~ /^(lpush|incr|get|set|eval)$/ && $2 > 0' | sort >"$T/counted"
	expect_equal "$(awk '$NF != "ok" { count[$1]++ } END { for (name in count) print name, count[name] }' "$T/failures" | sort)" \
		"$(cat "$T/counted")"
}
