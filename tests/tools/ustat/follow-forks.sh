#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/ustat.bash"

# -F: processes that the given one has started and will start, and no others on the machine.
need_command jq
need_php
need_ruby
write_programs
start_program ruby "${ruby_program[@]}" "$T/octi.rb"
ruby=$target_pid
cat >"$T/shell.sh" <<'SH'
export USE_ZEND_DTRACE=1
"${@:4}" "$1" <"$2" &
echo "$!"
read -r line
"${@:4}" -r 'function fest() {} for ($i = 0; $i < 300; $i++) fest(); fgets(STDIN);' <"$3" &
echo "$!"
wait
SH
mkfifo "$T/php.lines" "$T/later.lines"
exec 7<>"$T/php.lines" 8<>"$T/later.lines"
start_program shell bash "$T/shell.sh" "$T/octi.php" "$T/php.lines" "$T/later.lines" "${php_program[@]}"
wait_for "grep -q ready '$target_out'" 20
php=$(head -n 1 "$target_out")

run_tool ustat --json -i 0.1 -F -p "$target_pid"
proceed php
wait_for "has_row $php" 20
proceed shell
wait_for "[ \$(grep -c '^[0-9]' '$target_out') -eq 2 ]" 20
later=$(grep '^[0-9]' "$target_out" | tail -n 1)
wait_for "has_row $later" 20
wait_for "grep -q done '$target_out'" 60
stop_tool INT
expect_status 0
expect_equal "$(sum "$php" methods)" 1000
expect_equal "$(jq -s 'map(.pid) | unique | length' "$tool_out")" 2
expect_no_line "\"pid\":$ruby," "$tool_out"
