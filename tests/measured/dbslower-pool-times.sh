#!/bin/bash
# Statistical: half of the times are within 0.3 ms of the server's, and those that are near a bound are on its right side within 1 ms.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/../tools/dbslower/pool-times.bash"

# The tools' times of statements agree with those in the server's performance_schema.
python3 - "$T/clients" "$all_out" "$tool_out" "$slow_out" "$T/server" <<'END'
import json, sys
def read(path):
    rows = [json.loads(line) for line in open(path)]
    assert not any("lost" in row.get("type", "") for row in rows), rows[-1]
    return {row["query"]: row for row in rows if "query" in row}
clients, ours, queries, slow, server = map(read, sys.argv[1:])
ms = 1e6

# For the server, a statement begins when it has read the packet's head, a moment before it begins for the tool. It ends
# for the server, then for the tool, and only then the connection's next one begins for the server. A busy machine may
# delay threads in between, but this order holds, with a constant difference between the two clocks.
connections = {}
for text in clients:
    connections.setdefault(ours[text]["connection"], []).append(server[text])
assert len(connections) == 24 * 3
following = {}
for statements in connections.values():
    statements.sort(key=lambda row: row["begun_ns"])
    following |= {row["query"]: after for row, after in zip(statements, statements[1:])}
def is_in_order(rows):  # our clock is ahead by so much at most and at least
    begins = {text: row["time_ns"] - server[text]["begun_ns"] for text, row in rows.items()}
    ends = {text: row["time_ns"] + row["latency_ns"] - server[text]["end_ns"] for text, row in rows.items()}
    nexts = {text: row["time_ns"] + row["latency_ns"] - following[text]["begun_ns"] for text, row in rows.items() if text in following}
    first = lambda ahead: min(ahead.items(), key=lambda item: item[1])
    most, least = min(first(begins)[1], first(ends)[1]), max(nexts.values())
    assert least <= most + 0.2 * ms, (first(begins), first(ends), max(nexts.items(), key=lambda item: item[1]))
for rows in ours, queries, slow:
    is_in_order({text: row for text, row in rows.items() if text in clients})
differences = sorted(abs(ours[text]["latency_ns"] - (server[text]["end_ns"] - server[text]["begun_ns"])) for text in clients)
assert differences[len(differences) // 2] < 0.3 * ms, differences
for text in clients:
    assert text in slow or min(ours[text]["latency_ns"], queries[text]["latency_ns"]) < 21 * ms, (ours[text], queries[text])
END
