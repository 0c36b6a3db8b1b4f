#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# A C program is traced by the kernel's return probes, until it loads a library that unwinds its stack: then they are
# taken off before a C++ exception can meet them, and that is said.
cat >"$T/plugin.cpp" <<-'EOF'
	extern "C" int plugin(int (*callback)(int)) {
		int caught = 0;
		for (int i = 0; i < 50; i++)
			try { if (callback(i)) throw i; } catch (int) { caught++; }
		return caught;
	}
EOF
cat >"$T/host.c" <<-'EOF'
	#include <dlfcn.h>
	#include <stdio.h>
	#include <unistd.h>
	__attribute__((noipa)) int inner(int n) { return n & 1; }
	__attribute__((noipa)) int outer(int n) { return inner(n) + 0 * getppid(); }
	int main(int argc, char **argv) {
		puts("ready"); fflush(stdout); getchar();
		outer(1);
		void *library = dlopen(argv[1], RTLD_NOW);
		puts("loaded"); fflush(stdout); getchar();
		int (*plugin)(int (*)(int)) = (int (*)(int (*)(int)))dlsym(library, "plugin");
		printf("%d caught\n", plugin(outer));
		return 0;
	}
EOF
gcc -O2 -o "$T/host" "$T/host.c" && g++ -O2 -shared -fPIC -o "$T/plugin.so" "$T/plugin.cpp"
mkfifo "$T/input"
exec 8<>"$T/input"
stdin=$T/input start_target_and_wait "$T/host" "$T/plugin.so"
run_tool trace -p "$target_pid" "r:$T/host:outer \"%d\", retval"
echo >&8
wait_for "grep -q loaded '$target_out'" 10
wait_for "grep -q 'no longer traced' '$tool_err'" 10
expect_line '^trace: the returns of 1 functions are no longer traced: .* unwinds its stack' "$tool_err"
echo >&8
stop_tool
expect_status 0
expect_equal "$(tail -n 1 "$target_out")" '25 caught'
expect_equal "$(awk '$4 == "outer" { n++ } END { print n }' "$tool_out")" 1
