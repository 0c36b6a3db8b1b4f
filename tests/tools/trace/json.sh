#!/bin/bash
# ring: first
# alone: the tool has to read the stack of a program that ends at once in time
source "$(dirname "$0")/../../lib.sh"

# --json: each line is an object, with the values of the text as separate numbers and strings.
need_command python3
probes=("$TARGETS/values:sum \"%d and %d\", a, b" "$TARGETS/values:show \"%s\", text"
	"r:$TARGETS/values:name_of \"%s\", retval" "$TARGETS/values:factorial")
run "$BIN/trace" -U "${probes[@]}" --json --exec -- "$TARGETS/values"
expect_status 0
mv "$tool_out" "$T/json"
run "$BIN/trace" "${probes[@]}" --exec -- "$TARGETS/values"
expect_status 0
sed -n 's/^[0-9]* *[0-9]* *values *//p' "$tool_out" | tr -s ' ' | sed 's/ $//' >"$T/text"
PYTHONPATH=$ROOT/tests/tools python3 -B - "$T/json" "$T/text" <<'PY'
import json, sys, time
from tool_json import bytes_of
events, end = [], []
for line in open(sys.argv[1], encoding="utf-8"):
    if line == "ready\n":
        continue
    o = json.loads(line)
    (end if "type" in o else events).append(o)
assert len(end) == 1 and end[0]["type"] == "end", end
assert end[0]["events"] == end[0]["shown"] == len(events) and end[0]["lost"] == 0, end
text = open(sys.argv[2], encoding="utf-8").read().split("\n")[:-1]
def shown(o):  # text output escapes the strings that JSON has
    message = o.get("message", "")
    for c in "\\\n\t\r":
        message = message.replace(c, {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}[c])
    return (o["func"] + " " + message).strip()
ascii_only = lambda t: all(" " <= c < "\x7f" for c in t) and "\\x" not in t
json_lines = [shown(o) for o in events]
assert len(json_lines) == len(text)
compared = 0
for got, wanted in zip(json_lines, text):
    if ascii_only(wanted):
        assert got == wanted, (got, wanted)
        compared += 1
assert compared >= 15, compared
first = events[0]
assert first["args"] == [7, -9], first
assert abs(first["time_ns"] / 1e9 - time.time()) < 60, first
assert first["comm"] == "values" and first["pid"] == first["tid"] and first["cpu"] >= 0, first
assert any("main" in frame for frame in first["user_stack"]), first
odd = [o for o in events if o.get("message", "").startswith("tab")][0]
assert odd["args"][0].startswith("tab\there\nback\\slash \x1b[31mred\x07 \u00e4 "), odd
assert bytes_of(odd["args"][0]).endswith(
    b" \xc3\xa4 \xff\x80 \xe2\x80\xae \xc2\x9b"), ascii(odd)
long = [o for o in events if o.get("message", "").startswith("abcdef")][0]
assert long["message"] == ("abcdefghijklmnopqrstuvwxyz" * 4)[:80] + "...", long
assert [o["args"] for o in events if o["func"] == "name_of"] == [["zero"], ["two"]]
assert any(o["func"] == "show" and o["args"] != ["<unreadable>"] and not isinstance(o["args"][0], str) for o in events), \
    "an unreadable string is not the text <unreadable>"
PY
expect_status 0
