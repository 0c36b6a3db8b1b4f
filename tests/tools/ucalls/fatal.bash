# shellcheck shell=bash disable=SC2154 # lib.sh sets them
# ucalls times the functions of PHP's built-in server, where fatal errors end two of four requests.
# Source this file after lib.sh.
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
