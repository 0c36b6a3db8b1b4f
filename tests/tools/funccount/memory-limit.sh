#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Each page with a probe becomes private memory of the process, which its cgroup may limit.
need_command gcc
if [ -e /sys/fs/cgroup/memory/memory.usage_in_bytes ]; then
	cgroup=/sys/fs/cgroup/memory/uscope-test-$$ limit=memory.limit_in_bytes used=memory.usage_in_bytes
elif grep -qw memory /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
	cgroup=/sys/fs/cgroup/uscope-test-$$ limit=memory.max used=memory.current
else
	skip 'the memory controller of cgroups is not available'
fi
mkdir "$cgroup" 2>/dev/null || skip 'cannot create a cgroup'
end_in_cgroup() {
	kill -KILL "$target_pid" 2>/dev/null || true
	wait_for "rmdir '$cgroup'" 10
}
at_exit end_in_cgroup

functions=1000
{
	for ((i = 0; i < functions; i++)); do
		echo "__attribute__((noipa, aligned(4096))) int page_$i(int x) { return x + $i; }"
	done
	echo '#include <stdio.h>'
	echo 'int main(void) { char line[64]; setvbuf(stdout, 0, _IOLBF, 0); puts("ready"); while (fgets(line, sizeof line, stdin)) printf("%d\n", page_7(1)); return 0; }'
} >"$T/pages.c"
gcc -O1 -o "$T/pages" "$T/pages.c"
mkfifo "$T/fifo"
exec {lines}<>"$T/fifo"
stdin=$T/fifo start_target_and_wait bash -c "echo \$\$ >'$cgroup/cgroup.procs'; exec '$T/pages'"
wait_for "[ \"\$(readlink /proc/$target_pid/exe)\" = '$T/pages' ]" 10

echo $(($(cat "$cgroup/$used") + 500000)) >"$cgroup/$limit"
run "$BIN/funccount" -d 1 -p "$target_pid" "$T/pages:page_*"
expect_status 1
expect_line "^funccount: the probes need 4000 KB in process $target_pid, but its cgroup has only [0-9]+ KB left: trace fewer functions$" "$tool_err"
expect_equal "$(wc -l <"$tool_err")" 1
alive "$target_pid" || fail 'the program was killed'

run_tool funccount -p "$target_pid" "$T/pages:page_7" # one page fits
echo >&"$lines"
wait_for "grep -qx 8 '$target_out'" 10
stop_tool INT
expect_status 0
expect_line '^page_7 +1$' "$tool_out"
