#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Values that every event has in addition to its arguments.
start_target_and_wait setpriv --reuid=65534 --regid=65533 --clear-groups "$TARGETS/flood" 1 100000 5
run_tool trace -M 1 -C -p "$target_pid" \
	"$TARGETS/flood:flood \"pid %d tid %d uid %d gid %d cpu %d comm %s cgroup %lu\", \$pid, \$tid, \$uid, \$gid, \$cpu, \$comm, \$cgroup"
stop_tool
expect_status 0
cgroup=$(stat -c %i "$(findmnt -nt cgroup2 -o TARGET | head -n 1)$(sed -n 's/^0:://p' "/proc/$target_pid/cgroup")")
thread=$(ls "/proc/$target_pid/task" | tail -n 1)
expect_line "^([0-9]+) +$target_pid +$thread +flood +flood +pid $target_pid tid $thread uid 65534 gid 65533 cpu \\1 comm flood cgroup $cgroup\$" "$tool_out"

# They can be used in expressions like other values.
run_tool trace -M 1 -p "$target_pid" \
	"$TARGETS/flood:flood (\$pid == $target_pid && \$tid != \$pid && \$uid > 1000 && \$comm == \"flood\") \"%d\", \$tid - \$pid + \$uid"
stop_tool
expect_status 0
expect_line " $((thread - target_pid + 65534))\$" "$tool_out"
