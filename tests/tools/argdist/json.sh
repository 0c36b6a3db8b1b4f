#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# One JSON object per row, for counts and histograms; strings with invalid bytes stay valid JSON.
need_command python3
values=$TARGETS/values
gather "$values" -- --json -C "p:$values:sum()#a \"label\"" -C "p:$values:show(char *text, size_t n):char*,size_t:text,n" \
	-H "p:$values:sum(int a, int b):int,int:b,a" -H "p:$values:sum(int a):int:a lin(0,10,5)" -H "p:$values:put(int fd):int:fd:fd > 5"
python3 - "$tool_out" <<'END'
import json, sys, time
rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
assert all(abs(row["time_ns"] / 1e9 - time.time()) < 60 for row in rows)
probes = list(dict.fromkeys(row["probe"] for row in rows))
assert len(probes) == 4 and probes[0] == 'a "label"', probes
assert rows[0]["key"] == {} and rows[0]["count"] == 2 and "histogram" not in rows[0], rows[0]
texts = [row["key"] for row in rows if row["probe"] == probes[1]]
assert len(texts) == 9 and {"text": None, "n": 5} in texts, texts
assert {"text": "octi", "n": 4} in texts and {"text": "with", "n": 8} in texts, texts
assert texts.count({"text": {"error": "Bad address"}, "n": 5}) == 1, texts
keyed = [row for row in rows if row["probe"] == probes[2]]
assert [row["key"] for row in keyed] == [{"b": -9}, {"b": 3}] or [row["key"] for row in keyed] == [{"b": 3}, {"b": -9}], keyed
histogram = {row["key"]["b"]: row["histogram"] for row in keyed}
assert histogram[-9]["buckets"] == [{"low": 7, "high": 7, "count": 1}], histogram
assert histogram[3]["negative"] == 1, histogram
linear = rows[-1]["histogram"]["buckets"]
assert linear == [{"low": None, "high": -1, "count": 1}, {"low": 5, "high": 9, "count": 1}], linear
END
expect_line 'no event' "$tool_err"
