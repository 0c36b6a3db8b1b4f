#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/cgroups.bash"

# $container is what --show-container calls the process's container, in texts, in JSON and in keys.
need_command jq
make_slice
group=$slice/docker-$id.scope/inside
mkdir -p "$group"
start_target_and_wait "$TARGETS/flood" 1 100000 5
outside=$target_pid
start_target_and_wait "$TARGETS/flood" 1 100000 5
echo "$target_pid" >"$group/cgroup.procs"
at_exit "kill -KILL $target_pid; wait $target_pid"
flood=$TARGETS/flood

run "$BIN/trace" -M 1 -p "$target_pid" --show-container "$flood:flood \"<%s %-14s>\", \$container, \$container"
expect_line "flood +${id:0:12} +- +[^ ]* +flood +<${id:0:12} ${id:0:12}  >\$" "$tool_out"
run "$BIN/trace" -M 1 -p "$target_pid" --json "$flood:flood \"%s\", \$container"
expect_equal "$(jq -c 'select(.pid) | .args' "$tool_out")" "[\"${id:0:12}\"]"
run "$BIN/trace" -M 1 -p "$outside" "$flood:flood \"<%s>\", \$container"
expect_line 'flood +<->$' "$tool_out"

# A key, of all processes at once; a result, a tracepoint.
run "$BIN/argdist" -i 1 -n 1 -C "p:$flood:flood():char*:\$container"
expect_line "^\\s+[0-9]+ +\\\$container = ${id:0:12}\$" "$tool_out"
expect_line '^\s+[0-9]+ +\$container = -$' "$tool_out"
run "$BIN/trace" -M 1 -p "$target_pid" "r:$flood:flood \"%s %s\", \$container, \$entry(\$container)"
expect_line "flood +${id:0:12} ${id:0:12}\$" "$tool_out"
run "$BIN/trace" -M 1 -p "$target_pid" "t:syscalls:sys_enter_clock_nanosleep \"%s\", \$container"
expect_line "sys_enter_clock_nanosleep +${id:0:12}\$" "$tool_out"

# Conditions have the number of the cgroup only, so the name is for an option.
run "$BIN/trace" -p "$target_pid" "$flood:flood (\$container == \"${id:0:12}\")"
expect_status 2
expect_line '^trace: a container has its name only in the output: select it by --container$' "$tool_err"

# A cgroup that is gone when its rows are printed has a number.
mkdir "$slice/short"
run_tool argdist -i 600 -p "$outside" -C "p:$flood:flood():char*:\$container"
out=$tool_out pid=$tool_pid
echo "$outside" >"$slice/short/cgroup.procs"
number=$(stat -c %i "$slice/short")
run "$BIN/trace" -M 1 -p "$outside" "$flood:flood (\$cgroup == $number)"
echo "$outside" >"$root/cgroup.procs"
rmdir "$slice/short"
tool_pid=$pid
stop_tool INT
expect_line "^\\s+[0-9]+ +\\\$container = cgroup $number\$" "$out"
