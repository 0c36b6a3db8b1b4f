#!/bin/bash
# timeout: 240
source "$(dirname "$0")/../../lib.sh"

# Without a PID, doctor reports what the machine itself says, tries each tool, and leaves nothing.
need_command python3
run "$BIN/uscope" doctor
expect_status 0
expect_equal "$(cat "$tool_err")" ''
expect_equal "$(head -n 1 "$tool_out")" "uscope $(cat "$ROOT/VERSION"), $(uname -srm)"
state_of() { # NAME
	sed -nE "s/^$1 {2,}([a-z-]+)( .*)?\$/\1/p" "$tool_out"
}
expect_equal "$(state_of BTF)" "$([ -r /sys/kernel/btf/vmlinux ] && echo ok || echo absent)"
for setting in net/core/bpf_jit_harden kernel/perf_event_paranoid kernel/unprivileged_bpf_disabled; do
	[ ! -r "/proc/sys/$setting" ] ||
		expect_line "^${setting##*/} +info +$(<"/proc/sys/$setting") \(/proc/sys/$setting\)\$" "$tool_out"
done
own=()
[ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] || own+=(pid)
first=$(readlink /proc/1/ns/mnt || true)
[ "${first:-unknown}" = unknown ] || [ "$first" = "$(readlink /proc/self/ns/mnt)" ] || own+=(mount)
[ "$(readlink /proc/self/ns/user)" = 'user:[4026531837]' ] || own+=(user)
expect_line "^container +(ok +none is visible|info +has its own ${own[*]/%/,?} namespace).*; process 1 is $(</proc/1/comm)" "$tool_out"
[ ${#own[@]} -eq 0 ] || expect_line '^container +info' "$tool_out"
[ ${#own[@]} -ne 0 ] || expect_line '^container +ok' "$tool_out"
for feature in BPF 'ring buffer' uprobes 'USDT semaphores'; do
	expect_equal "$feature: $(state_of "$feature")" "$feature: ok"
done

# What it says of each tool is what the tool does.
start_target "$TARGETS/spin"
for name in $(basename -a -s .cpp "$ROOT"/tools/*.cpp); do
	expect_count 1 "^$name  +(ok|no|-)( |\$)" "$tool_out"
done
report=$tool_out
for name in profile offcputime readlat killsnoop; do
	run "$BIN/$name" -d 0.01 -p "$target_pid"
	expect_equal "$name $tool_status" "$name $(sed -nE "s/^$name  +ok.*/0/p; s/^$name  +no .*/1/p" "$report")"
done

# Nothing is left behind: neither the process on which the tools were tried, nor a tool, nor a probe.
group=$(ps -o pgid= "$$")
expect_equal "$(pgrep -g "${group// /}" -fl '^cat$' || true)" ''
for pid in $(pgrep -g "${group// /}"); do
	[ "$(readlink "/proc/$pid/exe")" != "$(realpath "$BIN/uscope")" ] || fail "still runs: $(tr '\0' ' ' <"/proc/$pid/cmdline")"
done
run "$ROOT/tests/breakpoints" "$target_pid"
expect_equal "$(cat "$tool_out")" "0 $target_pid"

# --json has the same states.
run "$BIN/uscope" doctor --json
expect_status 0
expect_count 1 '' "$tool_out"
python3 - "$tool_out" "$report" <<'PY'
import json, re, sys
report = json.load(open(sys.argv[1]))
text = open(sys.argv[2]).read()
assert text.startswith(f"uscope {report['version']}, {report['system']}\n"), text
assert len(report["checks"]) > 15 and len(report["tools"]) > 15
for check in report["checks"]:
    assert re.search(rf"^{re.escape(check['name'])} +{check['status']}( |$)", text, re.M), check
words = {"works": "ok", "refuses": "no", "not_tried": "-"}
for tool in report["tools"]:
    assert re.search(rf"^{tool['tool']} +{words[tool['state']]}( |$)", text, re.M), tool
    assert (tool["state"] == "works") == ("reason" not in tool), tool
PY

# Nor when it is killed while it tries the tools.
start_ "$T/killed.out" "$T/killed.err" "$BIN/uscope" doctor
tested() { pgrep -g "$pid" -fl '^cat$' >/dev/null; }
wait_for 'tested' "$tool_limit"
kill -KILL "$pid"
wait "$pid" || true
wait_for "! pgrep -r D,R,S,T -g $pid >'$T/left'" "$tool_limit" # zombies have ended
