#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/ustat.bash"

# A process that ended before the tool could examine it is counted as such, even if the kernel's
# process tree no longer has it.
need_command jq
need_command bpftool
need_php
write_programs
cat >"$T/shell.sh" <<'SH'
echo ready
read -r line
USE_ZEND_DTRACE=1 "$@" -r 'function fest() {} for ($i = 0; $i < 30; $i++) fest();' &
echo "child $!"
wait
echo done
read -r line
SH
start_program php env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/octi.php" # runs the same file as the other one
php=$target_pid
start_program shell bash "$T/shell.sh" "${php_program[@]}"
shell=$target_pid
run_tool ustat --json -i 0.1 --follow-forks -p "$shell" -p "$php"
wait_for "grep -q '\"pid\":$php,' '$tool_out'" 20
kill -STOP "$tool_pid"
echo >&"$lines"
wait_for "grep -q done '$target_out'" 20
child=$(sed -n 's/^child //p' "$target_out")
is_followed() { bpftool -j map dump name follow_targets | jq -se "flatten | any(.formatted.key == $child)" >/dev/null; }
wait_for '! is_followed' 20
kill -CONT "$tool_pid"
rows=$(grep -c "\"pid\":$php," "$tool_out")
wait_for "[ \"\$(grep -c '\"pid\":$php,' '$tool_out')\" -ge $((rows + 2)) ]" 20
stop_tool INT
expect_status 0
expect_equal "$(jq 'select(.type == "missed") | .programs' "$tool_out")" 1
