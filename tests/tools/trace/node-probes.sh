#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
need_command node

# Examples on the web use probes that Node no longer has: the error says what to type instead.
node=$(realpath "$(command -v node)")
start_target_and_wait "$node" -e 'console.log("ready"); setInterval(() => 0, 1000)'
expect_refusal 1 "$node has no USDT probe http__server__request; Node has had no probes since version 19: httpsnoop -s -p PID shows method \(arg5\), URL \(arg6\)" \
	trace "u:$node:http__server__request \"%s %s (from %s:%d)\" arg5, arg6, arg3, arg4"
expect_refusal 1 "process $target_pid has no USDT probe http__client__response; .*httpsnoop -c -p PID shows each response" trace -p "$target_pid" 'u::http__client__response'
expect_refusal 1 ".*has no USDT probe gc__start; .*ugc PID shows collections" trace "u:$node:gc__start"
expect_refusal 1 "$node has no USDT probes; .*httpsnoop -p PID shows HTTP requests, ugc PID shows collections" tplist -l "$node"
