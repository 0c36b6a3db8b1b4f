#!/bin/bash
# timeout: 300
# shares: node bun deno workerd
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/built.bash"

# The official builds of Node.js, Bun, Deno and workerd report neither calls nor, except Node, their
# collections: the errors say so, and what works instead.
cat >"$T/idle.js" <<'END'
console.log("ready");
setInterval(() => {}, 100000);
END
refused() { # TOOL REGEX
	expect_refusal 1 "$2" "$1" "$target_pid"
}
for release in $(node_releases 16); do
	npm_node "$release"
	start_target_and_wait "$node_path" "$T/idle.js"
	refused ucalls '.*\(node\): Node\.js reports collections only.*.node --perf-basic-prof. names its functions'
	stop_target KILL
done
unsupported() { # TITLE ADVICE CMD…
	start_target_and_wait "${@:3}"
	for tool in ucalls uflow ugc; do
		refused "$tool" "process $target_pid \([^ ]*\) runs $1: $2\$"
	done
	stop_target KILL
}
for version in $(tls_releases bun); do
	npm_bun "$version"
	unsupported Bun 'stacks name its functions if it is started with BUN_JSC_useJITDump=1 \(since Bun 1\.3\)' "$bun_path" "$T/idle.js"
done
for version in $(tls_releases deno); do
	npm_deno "$version"
	unsupported Deno 'stacks name its functions if it is started with --v8-flags=--perf-basic-prof' "$deno_path" run "$T/idle.js"
done
cat >"$T/config.capnp" <<-'END'
	using Workerd = import "/workerd/workerd.capnp";
	const config :Workerd.Config = (services = [(name = "main", worker = .worker)]);
	const worker :Workerd.Worker = (modules = [(name = "worker", esModule = "export default {async test() { console.log('ready'); await new Promise(done => setTimeout(done, 100000)); }}")], compatibilityDate = "2025-01-01");
END
for version in $(tls_releases workerd); do
	npm_workerd "$version"
	unsupported workerd 'stacks name its functions if its configuration has v8Flags = \["--perf-basic-prof"\]' \
		bash -c 'exec "$0" test "$1" 2>&1' "$workerd_path" "$T/config.capnp"
done
