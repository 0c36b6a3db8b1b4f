#!/bin/bash
# alone: its times have to agree with the server's to 0.3 ms
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/pool-times.bash"

# MariaDB's thread pool with clients that disconnect without COM_QUIT: each statement has the error
# that its own client received, and all of the time that it waited; the tools agree.
# (tests/measured/dbslower-pool-times compares the times with the server's.)
python3 - "$T/clients" "$all_out" "$tool_out" "$slow_out" "$T/server" <<'END'
import json, sys
def read(path):
    rows = [json.loads(line) for line in open(path)]
    assert not any("lost" in row.get("type", "") for row in rows), rows[-1]
    return {row["query"]: row for row in rows if "query" in row}
clients, ours, queries, slow, server = map(read, sys.argv[1:])
ms = 1e6
assert len(clients) == 24 * 3 * 6
for text, row in clients.items():
    assert ours[text]["error"] == queries[text]["error"] == row["error"], (row, ours[text], queries[text])
    assert ours[text]["latency_ns"] >= (30 * ms if "sleep(0.03)" in text else 2 * ms if "sleep" in text else 0), ours[text]
assert server.keys() >= clients.keys(), clients.keys() - server.keys()
assert all(row["latency_ns"] >= 20 * ms for row in slow.values())
END
