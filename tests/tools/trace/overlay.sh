#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Modifying a file on an overlay file system copies it: processes with the former file have no
# breakpoints. The tool says so, and where the former file is.
need_command gcc unshare
unshare -m true 2>/dev/null || skip 'cannot create a mount namespace'
cat >"$T/octi.c" <<'C'
#include <stdio.h>
__attribute__((noipa)) void fest(int number) { __asm__ volatile("" ::"r"(number)); }
int main(void)
{
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF) {
		fest(7);
		puts("done");
		fflush(stdout);
	}
}
C
mkdir "$T/layers" "$T/merged"
cat >"$T/within.sh" <<END
set -e
cd "$T"
mount -t tmpfs none layers
mkdir layers/lower layers/upper layers/work
gcc -O1 octi.c -o layers/lower/octi
mount -t overlay overlay -o "lowerdir=$T/layers/lower,upperdir=$T/layers/upper,workdir=$T/layers/work" merged
exec merged/octi
END
mkfifo "$T/go"
exec 8<>"$T/go"
call_fest() {
	local answers
	answers=$(grep -c 'done' "$target_out") || true
	printf x >&8
	wait_for "[ \$(grep -c done '$target_out') -gt $answers ]" 20
}
stdin=$T/go start_target unshare -m bash "$T/within.sh"
wait_for "grep -q ready '$target_out' || ! alive $target_pid" 20
alive "$target_pid" || skip "cannot mount an overlay file system: $(tail -n 1 "$target_err")"

# An unmodified file has its probes.
run_tool trace -p "$target_pid" "$T/merged/octi:fest \"%d\", arg1"
call_fest
stop_tool INT
expect_line ' fest +7$' "$tool_out"
expect_no_line 'former' "$tool_err"

nsenter -t "$target_pid" -m touch "$T/merged/octi"
for tool in trace funccount; do
	run_tool "$tool" -p "$target_pid" "$T/merged/octi:fest"
	call_fest
	stop_tool INT
	expect_line "^$tool: process $target_pid runs an older copy of $T/merged/octi, which has no probes:" \
		"$tool_err"
done
run_tool trace --json -p "$target_pid" "$T/merged/octi:fest"
stop_tool INT
expect_line "\"type\":\"not_probed\",.*\"pid\":$target_pid,\"file\":\"$T/merged/octi\"" "$tool_out"
# The former file can be traced with its own path, which the tool names.
former=/proc/$target_pid/root$T/layers/lower/octi
expect_line ": restart it, or probe $former without -p\$" "$tool_err"
run_tool trace "$former:fest \"%d\", arg1"
call_fest
stop_tool INT
expect_line "^$target_pid .* fest +7\$" "$tool_out"

# A program that was copied before it started has its probes, also in all processes of the file.
former_pid=$target_pid
stdin=$T/go start_target nsenter -t "$former_pid" -m "$T/merged/octi"
wait_for "grep -q ready '$target_out' || ! alive $target_pid" 20
for options in "-p $target_pid" ''; do
	# shellcheck disable=SC2086 # several words
	run_tool trace --json $options "/proc/$target_pid/root$T/merged/octi:fest \"%d\", arg1"
	for _ in {1..20}; do # both processes read the same pipe
		printf xx >&8
		sleep 0.02
	done
	stop_tool INT
	expect_line "\"pid\":$target_pid,.*\"message\":\"7\"" "$tool_out"
	expect_no_line "\"pid\":$former_pid,.*\"message\"" "$tool_out"
done
