#!/bin/bash
# shares: http
# timeout: 240
source "$(dirname "$0")/../../lib.sh"

# Without -p, a process that only reads a file's code as data would find the breakpoints in it: no
# probe is placed while such a process exists.
need_command gcc python3 valgrind
cat >"$T/program.c" <<'C'
#include <stdio.h>
__attribute__((noipa)) int work(int x) { return x * 3 + 1; }
int main(void)
{
	char line[64];
	int sum = 0;
	setlinebuf(stdout);
	puts("ready");
	while (fgets(line, sizeof line, stdin))
		printf("%d\n", sum += work(sum));
	return 0;
}
C
gcc -O2 -o "$T/program" "$T/program.c"
cat >"$T/reads.py" <<'PY'
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
data = mmap.mmap(fd, 0, getattr(mmap, sys.argv[2]), mmap.PROT_READ)
print("ready", flush=True)
input()
PY
start_with_lines() { # NAME CMD…; its input is $T/NAME
	mkfifo "$T/$1"
	# shellcheck disable=SC2034 # keeps it open
	exec {lines}<>"$T/$1"
	stdin=$T/$1 start_target_and_wait "${@:2}"
}

start_with_lines traced "$T/program"
traced_pid=$target_pid traced_out=$target_out
start_with_lines reads python3 "$T/reads.py" "$T/program" MAP_PRIVATE
for options in '' '--comm nobody' '--uid 0'; do
	# shellcheck disable=SC2086 # several words
	run "$BIN/funccount" -d 1 $options "$T/program:work"
	expect_status 1
	expect_line "^funccount: python3 \($target_pid\) reads the code of $T/program as data, and would read the probes in that file as part of it: select processes with -p PID \(without -F\), or wait until it ends$" "$tool_err"
done
run_tool funccount -p "$traced_pid" "$T/program:work"
printf '1\n2\n3\n' >"$T/traced"
wait_for "grep -q '^21$' '$traced_out'" 10
stop_tool INT
expect_line '^work +3$' "$tool_out"
echo >"$T/reads"
wait_for "! alive $target_pid" 10

# A reader with a shared mapping does not prevent probes: none is written to memory that is shared
# with the file.
start_with_lines shares python3 "$T/reads.py" "$T/program" MAP_SHARED
run_tool trace "$T/program:work"
stop_tool INT
expect_status 0

# A virtual machine in QEMU executes its own libraries like any other program.
if command -v qemu-system-x86_64 >/dev/null; then
	mkfifo "$T/machine"
	# shellcheck disable=SC2034 # keeps it open
	exec {lines}<>"$T/machine"
	stdin=$T/machine start_target qemu-system-x86_64 -machine none -nodefaults -display none -qmp stdio
	wait_for "grep -q QMP '$target_out'" 20
	run_tool funccount c:getpid
	stop_tool INT
	expect_status 0
	stop_target TERM
fi

start_with_lines valgrind valgrind -q --vgdb=no "$T/program"
for tool in "funccount -d 1 $T/program:work" "trace -d 1 $T/program:work" "funclatency -d 1 $T/program:work" \
	"stackcount -D 1 $T/program:work" "argdist -d 1 -C p:$T/program:work():u64:arg1"; do
	# shellcheck disable=SC2086 # several words
	run "$BIN"/$tool
	expect_status 1
	expect_line "^$tool_name: valgrind \($target_pid\) emulates, records or instruments the code of $T/program, and probes in that file would kill the program that it runs: select processes with -p PID \(without -F\)$" "$tool_err"
done
run "$BIN/funccount" -d 1 -p "$target_pid" "$T/program:work"
expect_status 1
expect_line "^funccount: process $target_pid emulates, records or instruments programs \(valgrind\), and probes would kill the program that it runs$" "$tool_err"
printf '1\n2\n3\n' >"$T/valgrind"
wait_for "grep -q '^21$' '$target_out' || ! alive $target_pid" 20
alive "$target_pid" || fail 'the program under valgrind has ended'
