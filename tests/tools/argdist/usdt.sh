#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# USDT probes with and without provider; sites with arguments at different locations share one
# table.
operands=$TARGETS/operands demo=$TARGETS/demo
gather "$operands" 2 -- -C "u:$operands:places()" -C "u:$operands:operand:places():int,char*:arg1,arg2" \
	-H "u:$operands:places():int:arg1" -C "u:$operands:places():char*:arg2" --json
python3 - "$tool_out" <<'END'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
got = [(row["count"], row["key"]) for row in rows]
assert got == [(6, {}), (2, {"arg1": -10, "arg2": "word"}), (2, {"arg1": 1, "arg2": "word"}),
    (2, {"arg1": 2, "arg2": "in a table"}), (2, {"arg2": "in a table"}), (4, {"arg2": "word"}), (6, {})], got
histogram = rows[-1]["histogram"]
assert histogram["negative"] == 2 and [b["low"] for b in histogram["buckets"]] == [1, 2], histogram
END

# The tool increments semaphores: this program fires its probe only while somebody listens.
gather "$demo" 3 -- -C "u:$demo:shop:order__placed():unsigned,char*:arg1,arg2" -C "u:$demo:item__added()#items"
expect_equal "$(rows)" '1 arg1 = 1, arg2 = Grace
1 arg1 = 2, arg2 = Edsger
1 arg1 = 3, arg2 = Barbara
6 total calls'
