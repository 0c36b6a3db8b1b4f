#!/bin/bash
# timeout: 300
# shares: bookworm
source "$(dirname "$0")/../../lib.sh"

# Runtimes without support are named, with what works instead; also their allocators, because blocks
# from them are not in malloc().
debian_root bookworm luajit sbcl
start_there() { # CMD…
	start_target_and_wait "${in_root[@]}" "$@"
}
start_there luajit -e 'print("ready") io.flush() while true do local t = {} for i = 1, 100 do t[i] = {i} end end'
for tool in ucalls uflow ugc; do
	run "$BIN/$tool" "$target_pid"
	expect_status 1
	expect_line "^$tool: process $target_pid \(luajit.*\) runs LuaJIT: it has no probes; .*funccount 'FILE:lua_\*'" "$tool_err"
done
run "$BIN/uobjnew" -d 0.3 "$target_pid"
expect_status 0
expect_line "^uobjnew: malloc\(\) and similar functions were not called: objects come from LuaJIT's own allocator$" "$tool_err"
stop_target KILL

start_there sbcl --noinform --eval '(progn (format t "ready~%") (finish-output) (loop (list 1 2 3)))'
run "$BIN/ucalls" "$target_pid"
expect_line "\(sbcl\) runs SBCL: .*sb-sprof" "$tool_err"
stop_target KILL

start_target sleep 100
run "$BIN/ucalls" "$target_pid"
expect_status 1
expect_line "\(sleep\) runs none of these languages: java, node, .*; for functions of compiled programs .*funccount" "$tool_err"
