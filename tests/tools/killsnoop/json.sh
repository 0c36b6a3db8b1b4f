#!/bin/bash
# ring: first
# shares: signals
source "$(dirname "$0")/../../lib.sh"

# With --json, each line is an object with all that is known about a signal. Unknown values have no
# fields.
need_command python3
run_tool killsnoop --json --comm signals
"$TARGETS/signals" tgkill group nobody no-pidfd >"$T/out"
stop_tool INT
expect_status 0
python3 - "$tool_out" "$T/out" <<'PY'
import json, sys, time
sender, receiver, one, two = map(int, open(sys.argv[2]).read().split())
rows = [json.loads(line) for line in open(sys.argv[1])]
thread, group, nobody, no_pidfd = rows[:4]
for row in rows:
    assert row["pid"] == row["tid"] == sender and row["comm"] == "signals" and row["uid"] == 0, row
    assert abs(row.pop("time_ns") / 1e9 - time.time()) < 60, row
    for key in ("pid", "tid", "comm", "uid"):
        del row[key]
assert thread == {"call": "tgkill", "sig": 10, "signal": "SIGUSR1", "tpid": receiver, "ttid": receiver, "receivers": 1,
                  "taken": 1, "receiver": receiver, "tcomm": "signals", "code": -6, "result": 0}, thread
assert group["tpid"] == -one and group["receivers"] == group["taken"] == 2 and group["receiver"] in (one, two), group
assert nobody == {"call": "kill", "sig": 15, "signal": "SIGTERM", "tpid": 0x3fffffff, "receivers": 0, "taken": 0,
                  "result": -3, "error": "ESRCH"}, nobody
assert no_pidfd == {"call": "pidfd_send_signal", "sig": 10, "signal": "SIGUSR1", "pidfd": 99, "receivers": 0,
                    "taken": 0, "result": -9, "error": "EBADF"}, no_pidfd
assert [row["signal"] for row in rows[4:]] == ["SIGKILL"] * 3, rows
PY
