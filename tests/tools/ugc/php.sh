#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# PHP's collections of cycles, from a function of its engine, with what each has collected.
need_php
cp "$scripts/work.php" "$T"
start_worker "${php_program[@]}" "$T/work.php"
run_tool ugc "$target_pid"
work collect rings
wait_for "grep -q 'collected 50 objects' '$tool_out'" 20
stop_tool INT
expect_status 0
expect_equal "$(grep -oE 'cycles GC collected [0-9]+ objects' "$tool_out")" \
	"$(printf 'cycles GC collected %s objects\n' 0 0 0 50)"
expect_line '^cycles +4 ' "$tool_out"
