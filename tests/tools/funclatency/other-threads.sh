#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Calls of threads that are not traced return normally, and do not count as abandoned by an
# exception.
cat >"$T/threads.cpp" <<-'EOF'
	#include <cstdio>
	#include <thread>
	__attribute__((noipa)) long work(long n) { return n + 1; }
	void repeat(int times) { while (times--) work(times); }
	int main() {
		std::puts("ready"); std::fflush(stdout); std::getchar();
		repeat(10);
		std::thread(repeat, 100).join();
		std::puts("done");
	}
EOF
g++ -O2 -pthread -o "$T/threads" "$T/threads.cpp"
mkfifo "$T/input"
exec 8<>"$T/input"
for by in "-L" "--comm"; do
	stdin=$T/input start_target_and_wait "$T/threads"
	case $by in
	-L) run_tool funclatency --json "$T/threads:_Z4workl" -L "$target_pid" ;;
	--comm) run_tool funclatency --json "$T/threads:_Z4workl" -p "$target_pid" --comm other ;;
	esac
	echo >&8
	wait_for "grep -q done '$target_out'" 20
	stop_tool INT
	expect_status 0
	expect_no_line '"type":"calls"' "$tool_out"
	[ "$by" != -L ] || expect_line '"count":10,' "$tool_out"
done
