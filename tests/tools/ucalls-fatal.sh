#!/bin/bash
# shares: http
source "$(dirname "$0")/../lib.sh"

# A fatal error ends a request of PHP's server in the middle of 40 calls, none of which returns. The same functions have
# their times in the requests behind it.
need_php
need_command curl
cat >"$T/index.php" <<'PHP'
<?php
function deep($n) { return $n ? deep($n - 1) : leaf(); }
function leaf() { if (isset($_GET['die'])) trigger_error('x', E_USER_ERROR); usleep(20000); return 1; }
echo deep(40);
PHP
start_target env USE_ZEND_DTRACE=1 "${php_program[@]}" -t "$T" -S 127.0.0.1:0
wait_for "grep -q 'Development Server (http' '$target_err'" 10
address=$(sed -nE 's,.*\((http://[0-9.:]*)\).*,\1,p' "$target_err" | head -n 1)
run_tool ucalls -L --json "$target_pid"
for query in '?die' '' '?die' ''; do curl -s "$address/$query" >>"$T/answers" || fail "no answer: $(tail -n 3 "$target_err")"; done
stop_tool INT
expect_status 0
python3 - "$tool_out" <<'PY'
import json, sys
rows = {row["method"]: row for row in map(json.loads, open(sys.argv[1]))}
deep, leaf = rows["deep"], rows["leaf"]
assert deep["calls"] == 4 * 41 and leaf["calls"] == 4, rows
assert 40e6 < leaf["duration_ns"] <= deep["duration_ns"] < 2 * leaf["duration_ns"], rows
PY
