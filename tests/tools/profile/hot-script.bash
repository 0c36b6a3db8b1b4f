# shellcheck shell=bash disable=SC2154 # lib.sh sets them
# For tests with runtimes of JavaScript: a script that computes in inner(), which outer() and several calls of
# middle() lead to. Source this file after lib.sh.
cat >"$T/hot.js" <<'END'
const inner = n => { let sum = 0; for (let i = 0; i < n; i++) sum += i ^ n; return sum; };
function middle(n) { return n === 0 ? inner(20000) + 1 : middle(n - 1) + 1; }
function outer() { return middle(3) + 1; }
console.log("ready");
for (;;) outer();
END

# Profiles COMMAND, which runs the script, for some seconds of its processor time. Stacks of the thread NAME are
# in $T/main.
profile_script() { # NAME OPTION-OF-PROFILE COMMAND…
	start_target_and_wait "${@:3}"
	at_exit "rm -f /tmp/perf-$target_pid.map"
	run_tool profile -F 99 -U -f "$2" -p "$target_pid"
	wait_for "[ \"\$(awk '{ print \$14 + \$15 }' /proc/$target_pid/stat)\" -ge 300 ]" 60
	stop_tool INT
	expect_status 0
	stop_target
	grep "^$1;" "$tool_out" >"$T/main" || fail 'no stacks of the main thread'
}
