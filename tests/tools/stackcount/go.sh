#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Counts calls by complete Go stacks: deep recursion, deferred calls, goroutines.
source "$(dirname "$0")/../go.bash"
build_go "$T/frames" frames.go -gcflags=-l
run_tool stackcount -f "$T/frames:main.tell"
"$T/frames" >"$T/told"
stop_tool INT
expect_status 0
expect_no_line 'cut' "$tool_out"
# The program prints the same stacks, the leaf first. Its first line is tell() itself.
awk '/^told/ { if (stack) print stack; stack = ""; next } /^sum/ { next }
	{ sub(/\.abi0$/, "", $2); stack = stack == "" ? $2 : $2 ";" stack } END { print stack }' "$T/told" |
	sort | uniq -c | awk '{ print $2, $1 }' | sort >"$T/wanted"
wrappers='runtime\.(deferCall[A-Za-z]*|runOpenDeferFrame|reflectcall[A-Za-z]*|call[0-9]+)|main\.\(\*byTelling\)\.Less'
sed -E "s/^frames;//; s/\.abi0//g; s/;($wrappers)//g; s/;($wrappers)//g" "$tool_out" | grep 'main\.tell' | sort >"$T/seen"
expect_equal "$(cat "$T/seen")" "$(cat "$T/wanted")"
expect_count 1 '(main\.deep;){61}main\.tell 2$' "$T/seen"
