#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# -F: the run ends normally with the last process of the tree, and not before, even if all processes
# from the start have ended long ago.
mkfifo "$T/lines"
exec 7<>"$T/lines"
cat >"$T/child" <<END
read -r line
sh -c 'echo started; read -r line; "$TARGETS/flood" 1 7' <"$T/lines" &
END
start_tree() {
	start_target sh -c "sh '$T/child' <'$T/lines' & exec sleep 60"
	wait_for "grep -q . /proc/$target_pid/task/$target_pid/children" 10
}
# The parent ends, then its child, and finally the child's child after it has called.
end_tree() {
	stop_target
	echo go >&7
	wait_for "grep -q started '$target_out'" 10
	alive "$tool_pid" || fail "$tool_name ended before the tree"
	echo go >&7
}

start_tree
run_tool trace -F -p "$target_pid" "$TARGETS/flood:flood \"%d\", number"
end_tree
stop_tool
expect_status 0
expect_count 7 ' flood ' "$tool_out"

start_tree
run_tool funccount -F -p "$target_pid" "$TARGETS/flood:flood"
end_tree
stop_tool
expect_status 0
expect_line '^flood +7$' "$tool_out"

# A command that leaves other processes behind.
cat >"$T/leave" <<END
sh -c 'read -r line; exec "$TARGETS/flood" 1 3' <"$T/lines" &
echo leaver \$\$
END
run_tool trace -F --exec "$TARGETS/flood:flood \"%d\", number" -- sh "$T/leave"
wait_for "grep -q leaver '$tool_err'" 10
leaver=$(sed -n 's/^leaver //p' "$tool_err")
wait_for "! alive $leaver" 10
alive "$tool_pid" || fail 'trace ended before the tree'
echo go >&7
stop_tool
expect_status 0
expect_count 3 ' flood ' "$tool_out"
