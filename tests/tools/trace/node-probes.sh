#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
need_command node

# Examples on the web use probes that Node no longer has: the error says what to type instead.
node=$(realpath "$(command -v node)")
start_target_and_wait "$node" -e 'console.log("ready"); setInterval(() => 0, 1000)'
refuses() { # REGEX TOOL ARG…
	run "$BIN/$2" "${@:3}"
	expect_status 1
	expect_line "$1" "$tool_err"
}
refuses "^trace: $node has no USDT probe http__server__request; Node has had no probes since version 19: httpsnoop -s -p PID shows method \(arg5\), URL \(arg6\)" \
	trace "u:$node:http__server__request \"%s %s (from %s:%d)\" arg5, arg6, arg3, arg4"
refuses "^trace: process $target_pid has no USDT probe http__client__response; .*httpsnoop -c -p PID shows each response" trace -p "$target_pid" 'u::http__client__response'
refuses "has no USDT probe gc__start; .*ugc PID shows collections" trace "u:$node:gc__start"
refuses "^tplist: $node has no USDT probes; .*httpsnoop -p PID shows HTTP requests, ugc PID collections" tplist -l "$node"
