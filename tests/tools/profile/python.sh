#!/bin/bash
# alone: the tool has to read names soon after each sample
source "$(dirname "$0")/../../lib.sh"

# A Python program under load, with every tool that counts stacks: in each stack, every function is
# called by one that does call it, from the start of the thread on.
need_python
cat >"$T/load.py" <<'PROGRAM'
import os, sys, threading

def leaf(n):
    return len([str(i) for i in range(n)]) + os.getppid()

def key(x):
    return leaf(x)

def ordered(n):
    return sorted(range(n), key=key)

def deep(n):
    return deep(n - 1) if n else ordered(40)

def loop():
    while True:
        for n in range(20):
            deep(n)

for i in range(2):
    threading.Thread(target=loop, daemon=True).start()
print('ready', flush=True)
sys.stdin.readline()
PROGRAM
mkfifo "$T/go"
exec 8<>"$T/go"

# Prints the folded stacks of the threads, without their first and last functions, and all stacks
# that are impossible in the program.
chains() { # FILE
	grep -oE '(Thread\._bootstrap|_bootstrap) \(threading.*' "$1" | sed -E 's/ [0-9]+$//' | tr ';' '\n' |
		awk '/^(Thread\.)?_bootstrap \(/ { print ""; next } /\(load\.py:[0-9]+\)$/ { printf "%s;", $1 }' | sed '/^$/d'
}
expect_possible() { # FILE LEAST; at least LEAST different stacks
	chains "$1" >"$T/chains"
	[ "$(wc -l <"$T/chains")" -ge "$2" ] || {
		head -n 20 "$1" >&2
		fail "less than $2 stacks of the threads"
	}
	expect_no_line "^$" "$T/chains"
	if grep -vE '^loop;((deep;){0,20}(ordered;(key;(leaf;(leaf\.<locals>\.<listcomp>;|<listcomp>;)?)?)?)?)$' "$T/chains"; then
		fail 'impossible stacks'
	fi
	expect_no_line 'too late' "$1"
}

stdin=$T/go start_target_and_wait "${python_program[@]}" "$T/load.py"
cpu_ms() { awk '{ print ($14 + $15) * 10 }' "/proc/$target_pid/stat"; }
run_tool profile -F 999 -f -U -p "$target_pid"
wait_for "[ \"\$(cpu_ms)\" -ge $(($(cpu_ms) + 1500)) ]" 60 # 1500 samples, however busy the machine is
stop_tool INT
expect_status 0
expect_possible "$tool_out" 20

run_tool stackcount -f -p "$target_pid" -D 1 c:getppid
stop_tool
expect_status 0
expect_possible "$tool_out" 4
expect_line 'deep \(load.py:13\);.*;ordered \(load.py:10\);.*;key \(load.py:7\);' "$tool_out"

run_tool offcputime -f -U -p "$target_pid" 1
stop_tool
expect_status 0
expect_line 'loop \(load.py:18\);deep \(load.py:13\)' "$tool_out"
stop_target
