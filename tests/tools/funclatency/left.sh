#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Calls that an exception abandons have no latency, but are counted as such.
cat >"$T/throws.cpp" <<-'EOF'
	#include <cstdio>
	__attribute__((noipa)) long leave(long n) { if (n % 4) throw n; return n; }
	__attribute__((noipa)) long always(long n) { throw n; }
	int main() {
		std::puts("ready"); std::fflush(stdout); std::getchar();
		long sum = 0;
		for (long n = 0; n < 160; n++) {
			try { sum += leave(n); } catch (long) { sum++; }
			try { sum += always(n); } catch (long) { sum++; }
		}
		std::printf("%ld\n", sum);
	}
EOF
g++ -O2 -o "$T/throws" "$T/throws.cpp"
expected=$("$T/throws" <<<'' | tail -n 1)
mkfifo "$T/input"
exec 8<>"$T/input"
traced() { # TOOL-ARG…
	stdin=$T/input start_target_and_wait "$T/throws"
	run_tool "$@" -p "$target_pid"
	echo >&8
	stop_tool
	expect_status 0
	expect_equal "$(tail -n 1 "$target_out")" "$expected"
}
traced funclatency --json "$T/throws:_Z5leavel"
expect_equal "$(grep -o '"count":[0-9]*' "$tool_out" | head -n 1)" '"count":40'
expect_line '^{"type":"calls","time_ns":[0-9]+,"left_otherwise":119,"tail_called":0,"open":1}$' "$tool_out"
traced funclatency "$T/throws:_Z6alwaysl"
expect_line '^funclatency: 159 calls had no visible return: left by an exception' "$tool_err"
expect_line '^funclatency: 1 call had no visible return: left in another way, or under way when tracing ended$' "$tool_err"
! grep -q 'none of the traced functions' "$tool_err" || fail 'it reports that nothing was traced'
traced trace "r:$T/throws:_Z5leavel \"%d\", retval"
expect_equal "$(awk '$4 == "leave" { n++; sum += $5 } END { print n, sum }' "$tool_out")" '40 3120'
expect_line '^trace: 119 calls had no visible return' "$tool_err"
