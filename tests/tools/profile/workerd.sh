#!/bin/bash
# timeout: 300
# shares: workerd
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/built.bash"

# workerd's V8 does not describe its objects; if its configuration asks for a perf map, that names
# the functions.
cat >"$T/worker.js" <<'END'
function inner(n) { let sum = 0; for (let i = 0; i < n; i++) sum += i ^ n; return sum; }
function middle(n) { return n === 0 ? inner(20000) + 1 : middle(n - 1) + 1; }
export default { test() { console.log("ready"); for (;;) middle(3); } };
END
profile_workerd() { # FLAGS
	cat >"$T/config.capnp" <<-END
		using Workerd = import "/workerd/workerd.capnp";
		const config :Workerd.Config = (services = [(name = "main", worker = .worker)], v8Flags = [$1]);
		const worker :Workerd.Worker = (modules = [(name = "worker", esModule = embed "worker.js")], compatibilityDate = "2025-01-01");
	END
	start_target "$workerd_path" test --experimental "$T/config.capnp"
	at_exit "rm -f /tmp/perf-$target_pid.map"
	wait_for "grep -q ready '$target_out' '$target_err'" 30
	run_tool profile -F 99 -U -f -p "$target_pid"
	wait_for "[ \"\$(awk '{ print \$14 + \$15 }' /proc/$target_pid/stat)\" -ge 300 ]" 60
	stop_tool INT
	expect_status 0
	stop_target KILL
}
cd "$T" # where V8 writes its log
for version in $(tls_releases workerd); do
	npm_workerd "$version"
	profile_workerd '"--perf-basic-prof", "--no-turbo-inlining"'
	expect_line ';test(;middle){4};inner [0-9]+$' "$tool_out"
	expect_no_line 'runs workerd' "$tool_err"
	profile_workerd ''
	expect_line ';\[unknown: V8\] [0-9]+$' "$tool_out"
	expect_line "^profile: $workerd_path runs workerd, whose functions are \[unknown: V8\] in stacks: .* v8Flags = \[\"--perf-basic-prof\"\]\$" "$tool_err"
done
