#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# GCC makes the body of a coroutine a function of its own. Stacks show it under the coroutine's name
# and parameters, with "[clone .actor]".
need_command g++ nm
cat >"$T/program.cpp" <<'END'
#include <coroutine>
#include <string>
#include <unistd.h>

struct Task {
	struct promise_type {
		Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;
};

namespace app {
Task serve(int n, const std::string &name)
{
	getppid();
	co_await std::suspend_always{};
	getppid();
}
struct Shape {
	Task draw(long size) const
	{
		getppid();
		co_return;
	}
};
template <class T> Task each(T first, T last)
{
	getppid();
	co_return;
}
}

int main()
{
	puts("ready");
	fflush(stdout);
	getchar();
	Task served = app::serve(3, "x"), drawn = app::Shape().draw(1), all = app::each(2.0, 3.0);
	for (Task task : {served, served, drawn, all})
		task.handle.resume();
	pause();
}
END
g++ -std=c++20 -g -include cstdio -o "$T/program" "$T/program.cpp" 2>"$T/errors" || skip "g++ cannot compile coroutines: $(head -n 1 "$T/errors")"
mkfifo "$T/go"
exec {go}<>"$T/go"
stdin=$T/go start_target_and_wait "$T/program"
run_tool trace -U -p "$target_pid" c:getppid
echo >&"$go"
wait_for "[ \$(grep -c '^[0-9]' '$tool_out') -ge 4 ]" 20
stop_tool INT
expect_status 0
# Prints nm's name of the function that creates the coroutine, without the return type that
# templates have there.
ramp() { nm -C "$T/program" | grep -vF '[clone' | grep -oE "$1\\(.*"; } # REGEX
expect_equal "$(sed -nE 's/^ +(app::.*)\+0x[0-9a-f]+ \[program\]$/\1/p' "$tool_out")" \
	"$(printf '%s [clone .actor]\n' "$(ramp app::serve)" "$(ramp app::serve)" "$(ramp app::Shape::draw)" "$(ramp 'app::each<double>')")"
