#!/bin/bash
# ring: first
# timeout: 240
source "$(dirname "$0")/../../lib.sh"

# Without the privileges for tracing, doctor ends with status 1, and says how to get them.
need_command setpriv python3
run setpriv --bounding-set=-bpf,-perfmon,-sys_admin --inh-caps=-bpf,-perfmon,-sys_admin "$BIN/uscope" doctor
expect_status 1
expect_line '^privileges +missing +tracing needs cap_bpf and cap_perfmon: .*--cap-add=bpf --cap-add=perfmon' "$tool_out"
expect_line '^uprobes +unknown ' "$tool_out"
expect_line '^trace +no +does not work: tracing needs cap_bpf and cap_perfmon' "$tool_out"
expect_count 1 '' "$tool_err"
expect_line '^uscope doctor: no tool works here: privileges: tracing needs cap_bpf and cap_perfmon' "$tool_err"

# So it does for a user without any.
run setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/uscope" doctor --json
expect_status 1
python3 - "$tool_out" <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
status = {check["name"]: check["status"] for check in report["checks"]}
assert status["privileges"] == "missing" and status["uprobes"] == "unknown", status
assert [tool["state"] for tool in report["tools"] if tool["tool"] == "funccount"] == ["refuses"]
PY

# The kernel accepts CAP_SYS_ADMIN instead of the two.
run setpriv --bounding-set=-bpf,-perfmon --inh-caps=-bpf,-perfmon "$BIN/uscope" doctor
expect_status 0
expect_line '^uprobes +ok ' "$tool_out"
