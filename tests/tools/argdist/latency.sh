#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# $latency of each call, also with entry values as keys; in recursion, an outer call takes longer
# than the inner ones.
values=$TARGETS/values flood=$TARGETS/flood
gather "$flood" 4 20000 -- -H "r:$flood:flood():u64:\$latency#ns" -C "r:$flood:flood(long thread):long,int:\$entry(thread),\$latency > 0"
expect_equal "$(buckets | awk '{ sum += $3 } END { print sum }')" 80000
expect_equal "$(rows)" "$(printf '20000 $entry(thread) = %d, $latency > 0 = 1\n' 1 2 3 4)"
expect_line '^     ns  ' "$tool_out"

gather "$values" 50 -- -H "r:$values:factorial(int n):int,u64:\$entry(n),\$latency" --json
python3 - "$tool_out" <<'END'
import json, sys
rows = {row["key"]["$entry(n)"]: row for row in map(json.loads, open(sys.argv[1]))}
assert sorted(rows) == [1, 2, 3, 4, 5], rows
assert all(row["count"] == 50 for row in rows.values()), rows
averages = [rows[n]["histogram"]["avg"] for n in sorted(rows)]
assert averages == sorted(averages), averages
END

gather "$flood" 1 5 10 -- -H "r:c:usleep(unsigned us):u64:\$latency / 1000000:\$latency >= 10000000 && \$entry(us) == 10000"
expect_equal "$(buckets | awk '{ sum += $3 } $3 { if ($1 < 8) low++ } END { print sum, low + 0 }')" '5 0'
