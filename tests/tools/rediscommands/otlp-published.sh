#!/bin/bash
# shares: redis sid
# timeout: 400
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/otlp/otlp.bash"
need_command jq

# The published definitions (opentelemetry-proto) decode the same as those of tests/otlp/decode.
start_redis
start_collector
run_tool rediscommands -p "$redis_pid" --otlp "$collector"
redis-benchmark -s "$redis_socket" -q -n 3000 -c 5 -t set,lpush >"$T/out"
clients_gone
stop_tool INT
expect_status 0
collected_spans >"$T/spans"
debian_root sid python3-opentelemetry-proto
cp "$ROOT/tests/otlp/decode" "$T/decode"
"${in_root[@]}" python3 "$T/decode" --published "$collected"/*.bin >"$T/published"
[ "$(wc -l <"$T/spans")" -ge 6000 ] || fail "$(wc -l <"$T/spans") spans"
expect_equal "$(sha256sum <"$T/published")" "$(sha256sum <"$T/spans")"
