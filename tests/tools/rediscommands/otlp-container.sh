#!/bin/bash
# shares: redis
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/cgroups.bash"
need_command jq

# Spans name the service and the container of the server, by its cgroup. In a pod the service is
# named as the program was called, which for redis-server is not its file (redis-check-rdb).
make_slice
start_redis
exported() { # CGROUP
	mkdir -p "$slice/$1"
	echo "$redis_pid" >"$slice/$1/cgroup.procs"
	run_tool rediscommands -p "$redis_pid" --otlp "$T/spans.json"
	redis-cli -s "$redis_socket" get key >/dev/null
	stop_tool INT
	expect_status 0
	jq -c '[.resourceSpans[0].resource.attributes[] | select(.key | test("service|container|pod")) | {(.key): .value.stringValue}] | add' "$T/spans.json"
}
expect_equal "$(exported "shop$$.service")" "{\"service.name\":\"shop$$\"}"
expect_equal "$(exported "kubepods-burstable.slice/kubepods-burstable-pod${uid//-/_}.slice/cri-containerd-$id.scope")" \
	"{\"service.name\":\"redis-server\",\"container.id\":\"$id\",\"k8s.pod.uid\":\"$uid\"}"
echo "$redis_pid" >"$root/cgroup.procs"
