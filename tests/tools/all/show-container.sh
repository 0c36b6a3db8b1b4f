#!/bin/bash
# ring: first
# shares: redis signals
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/cgroups.bash"
source "$(dirname "$0")/../rediscommands/redis.bash"

# --show-container: what the processes of rows belong to, in text, JSON and CSV, and nothing for
# processes that belong to nothing.
need_command jq
make_slice
group=$slice/kubepods-pod${uid//-/_}.slice/cri-containerd-$id.scope/payload/inside.service
mkdir -p "$group"
into_group() { # PID
	echo "$1" >"$group/cgroup.procs"
	at_exit "kill -KILL $1; wait $1"
}
start_target_and_wait "$TARGETS/flood" 1 100000 5
into_group "$target_pid"

run "$BIN/trace" -M 1 -p "$target_pid" --show-container "$TARGETS/flood:flood"
expect_line '^PID +TID +COMM +CONTAINER +POD +UNIT +FUNC ' "$tool_out"
expect_line "^$target_pid .* flood +${id:0:12} +$uid +inside.service +flood" "$tool_out"
keys='[.container, .container_id, .pod, .pod_uid, .unit] | join(" ")'
whole="${id:0:12} $id $uid $uid inside.service"
run "$BIN/trace" -M 1 -p "$target_pid" --show-container --json "$TARGETS/flood:flood"
expect_equal "$(jq -r "select(.pid) | $keys" "$tool_out")" "$whole"
run "$BIN/trace" -M 1 -p "$target_pid" --show-container --csv "$TARGETS/flood:flood"
expect_line '^time_ns,cpu,pid,tid,comm,container,container_id,pod,pod_uid,unit,func' "$tool_out"
expect_line ",flood,${id:0:12},$id,$uid,$uid,inside.service,flood," "$tool_out"
run "$BIN/trace" -M 1 -p "$target_pid" --json "$TARGETS/flood:flood"
expect_no_line '"container' "$tool_out"

run "$BIN/funccount" -d 1 -P -p "$target_pid" --show-container --json "$TARGETS/flood:flood"
expect_equal "$(jq -r "$keys" "$tool_out")" "$whole"
run "$BIN/funclatency" -d 1 -P -p "$target_pid" --show-container --json "$TARGETS/flood:flood"
expect_equal "$(jq -r "select(.pid) | $keys" "$tool_out")" "$whole"
run "$BIN/funccount" -d 1 -P -p "$target_pid" --show-container "$TARGETS/flood:flood"
expect_line "^flood +$target_pid +${id:0:12} +$uid +inside.service +[0-9]+$" "$tool_out"

# A process that has its first row before it is moved, and after that; one that belongs to nothing.
run_tool killsnoop --show-container --json -s CONT
kill -CONT "$target_pid"
bash -c 'echo $$ >"$1/cgroup.procs"; kill -CONT "$2"' - "$group" "$target_pid"
wait_for "[ \$(grep -c SIGCONT '$tool_out') -ge 2 ]" 20
stop_tool INT
expect_equal "$(jq -r "select(.pid == $$) | $keys" "$tool_out" | tr -d ' ')" ''

# Servers, and the filter together with the columns.
start_redis
into_group "$redis_pid"
run_tool rediscommands --container "${id:0:12}" --show-container
redis-cli -s "$redis_socket" set key value >"$T/out"
clients_gone
stop_tool INT
expect_line "^[^ ]+ +$redis_pid +${id:0:12} +$uid +inside.service .* set key value" "$tool_out"

# Tools that print stacks or values have the keys in JSON; argdist also as labels.
start_target_and_wait "$TARGETS/flood" 1 100000 5
into_group "$target_pid"
has_keys() { # ARG…: the tool and its arguments
	run "$BIN/$1" -p "$target_pid" --show-container --json "${@:2}"
	expect_equal "$(jq -r "select(.pid == $target_pid or .key) | $keys" "$tool_out" | sort -u)" "$whole"
}
has_keys stackcount -P -D 0.5 "$TARGETS/flood:flood"
has_keys profile -F 999 1
has_keys offcputime 1
has_keys argdist -n 1 -i 0.5 --prometheus "$T/flood.prom" -C "p:$TARGETS/flood:flood():int:\$pid"
expect_line "^uscope_events_total\{probe=\"[^\"]*\",pid=\"$target_pid\",container=\"${id:0:12}\",pod=\"$uid\",unit=\"inside.service\"\} " "$T/flood.prom"
expect_refusal 2 '--show-container needs --json and -P: without it, no row is a process.s$' stackcount --show-container --json c:malloc
expect_refusal 2 '--show-container needs --json: ' profile --show-container 1
