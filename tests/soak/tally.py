"""Adds up what a tool writes with --json.

tally.py EXPRESSION KEPT <OUTPUT

EXPRESSION is Python of `row`, one object, and gives a key and a number to add to it, or None. Lines "KEY<tab>SUM" come at the
end. What the tool says of the run itself is added up as "lost", "open" and "left otherwise". KEPT gets the first lines, for
tests/json-keys. A line that begins with a brace and is no JSON, or not UTF-8, ends it."""

import collections
import json
import sys

LINES_KEPT = 1000
NOTICES = {"lost", "refused", "left_out", "missing", "calls", "statements", "end", "summary"}

expression = compile(sys.argv[1], "EXPRESSION", "eval")
sums = collections.Counter()
with open(sys.argv[2], "wb") as kept:
    for number, line in enumerate(sys.stdin.buffer):
        if number < LINES_KEPT:
            kept.write(line)
        if not line.startswith(b"{"):
            sums["other lines"] += 1
            continue
        row = json.loads(line)
        kind = row.get("type")
        if kind in NOTICES:
            if kind == "lost":
                sums["lost"] += row["count"]
            sums["open"] += row.get("open", 0)
            sums["left otherwise"] += row.get("left_otherwise", 0)
            continue
        sums["rows"] += 1
        found = eval(expression, {"row": row})
        if found is not None:
            sums[found[0]] += found[1]
for key, count in sums.items():
    print(key, count, sep="\t")
