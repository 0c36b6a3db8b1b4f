#!/bin/bash
# shares: sid trixie
source "$(dirname "$0")/../../lib.sh"

# Python functions in stacks with `python3 -X perf`: from the perf map, and through the code that it
# names, which has neither unwind tables nor frame pointers.
need_command cc
debian_root trixie python3.13 libpython3.13
cat >"$T/program.py" <<'END'
import os, time
def innermost():
    return os.getppid()
def middle(depth):
    return middle(depth - 1) if depth else innermost()
class Outer:
    def run(self):
        return middle(3)
print('ready', flush=True)
while True:
    Outer().run()
    time.sleep(0.01)
END
wanted='innermost middle middle middle middle Outer.run <module>'

# All stacks: the first one, and those that the kernel side walks with the rules it has received.
traced() { # COMMAND…
	start_target_and_wait "$@" -X perf "$T/program.py"
	at_exit "rm -f /tmp/perf-$target_pid.map"
	run_tool trace -M 20 -d 20 -U -p "$target_pid" c:getppid
	stop_tool
	expect_status 0
	expect_equal "$(sed -nE 's,^        py::([^:]*):/[^ ]*/program\.py\+0x[0-9a-f]+$,\1,p' "$tool_out" | xargs)" \
		"$(for ((i = 0; i < 20; i++)); do echo "$wanted"; done | xargs)"
	expect_count 20 '^        _start\+' "$tool_out"
	expect_no_line '\[cut' "$tool_out"
	stop_target
}

# The interpreter is the program: in a container, and in the host's namespaces.
traced "${in_root[@]}" python3.13
libraries=$root/usr/lib/x86_64-linux-gnu
export PYTHONHOME=$root/usr
traced "$libraries/ld-linux-x86-64.so.2" --library-path "$libraries" "$root/usr/bin/python3.13"
unset PYTHONHOME

# The interpreter is a library, as in programs that embed Python.
cat >"$T/embeds.c" <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *library = dlopen("libpython3.13.so.1.0", RTLD_NOW | RTLD_GLOBAL);
	int (*run)(int, char **) = (int (*)(int, char **))dlsym(library, "Py_BytesMain");
	return run(argc, argv);
}
END
cc -O1 -o "$T/embeds" "$T/embeds.c"
traced "${in_root[@]}" "$T/embeds"

# Also in counts, with 3.14, whose code may have a different layout.
debian_root sid python3.14
start_target_and_wait "${in_root[@]}" python3.14 -X perf "$T/program.py"
run_tool stackcount -p "$target_pid" -f -D 0.5 c:getppid
stop_tool
expect_status 0
expect_line ';py::<module>:[^;]*;.*py::Outer\.run:[^;]*;.*py::middle:[^;]*;.*py::innermost:[^;]*;.*getppid [0-9]+$' "$tool_out"
