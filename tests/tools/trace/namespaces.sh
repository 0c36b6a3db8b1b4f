#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# A target in its own mount and PID namespace, whose path exists only there, traced from outside.
need_command unshare
mkdir "$T/inside"
start_target unshare --mount --pid --fork --mount-proc sh -c "
	mount -t tmpfs none '$T/inside' && cp '$TARGETS/demo' '$T/inside/only-here' && exec '$T/inside/only-here'"
wait_for "pgrep -P $target_pid >/dev/null" 10
inner=$(pgrep -P "$target_pid")
wait_for "[[ \$(readlink /proc/$inner/exe) = */only-here ]]" 10
[ ! -e "$T/inside/only-here" ] || fail 'the file is visible outside'

run "$BIN/tplist" -p "$inner" 'shop:*'
expect_status 0
expect_line "^$T/inside/only-here shop:order__placed$" "$tool_out"

run_tool trace -p "$inner" "u:$T/inside/only-here:shop:order__placed \"%s\" arg2" \
	'p:only-here:shop::place_order'
wait_for "grep -q ' order__placed ' '$tool_out' && grep -q ' shop::place_order' '$tool_out'" 10
stop_tool INT
expect_status 0
expect_line "^$inner +$inner +only-here +order__placed " "$tool_out"
