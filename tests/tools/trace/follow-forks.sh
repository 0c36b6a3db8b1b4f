#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# -F also traces existing and future children, with their children, and no other processes.
mkfifo "$T/lines"
exec 7<>"$T/lines"
cat >"$T/parent" <<END
"$TARGETS/flood" 1 100000 5 & echo child \$!
read -r line
sh -c '"$TARGETS/flood" 1 100000 5 & wait' &
"$TARGETS/flood" 1 5
wait
END
start_target_and_wait "$TARGETS/flood" 1 100000 5
stranger=$target_pid
stdin=$T/lines start_target_and_wait sh "$T/parent"
parent=$target_pid
wait_for "grep -q child '$target_out'" 10
run_tool trace -F -p "$parent" "$TARGETS/flood:flood \"%d\", number"
echo go >&7
wait_for "[ \"\$(awk '\$4 == \"flood\" { print \$1 }' '$tool_out' | sort -u | wc -l)\" -ge 3 ]" 10
stop_tool INT
expect_status 0
expect_no_line "^$stranger " "$tool_out"
expect_line "^$(awk '/child/ { print $2 }' "$target_out") " "$tool_out"
