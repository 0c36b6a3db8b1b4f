#!/bin/bash
# alone: it kills tools, and looks for the probes that they leave
# timeout: 240
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/agent.bash"

# A tool that is killed starts again, and the others do not notice. If the agent is killed, all
# tools end, and their probes with them.
choose_metrics_port
start_target "$TARGETS/spin"
spin=$target_pid
cat >"$T/agent.yaml" <<END
agent: {metrics: "127.0.0.1:$metrics_port"}
tools:
  mallocs: {tool: argdist, options: [-p, $spin, -C, "p:c:malloc()"]}
  exits: {tool: trace, options: [-p, $spin, "c:exit"]}
  once: {tool: killsnoop, options: [-d, 0.1]}
END
start_agent
mallocs=$(child 'c:malloc') exits=$(child 'c:exit')
kill -KILL "$mallocs"
wait_for_sum 1 uscope_agent_tool_restarts_total 'tool="mallocs"'
wait_for_sum 1 uscope_agent_tool_up 'tool="mallocs"'
expect_line '^uscope agent: mallocs ended by signal 9: it starts again in 1 s$' "$agent_err"
[ "$(child 'c:malloc')" != "$mallocs" ]
expect_equal "$(child 'c:exit')" "$exits"

# One that ends by itself starts again after longer and longer times.
wait_for "grep -q 'once ended with status 0: it starts again in 4 s' '$agent_err'" 60
expect_line '^uscope agent: once ended with status 0: it starts again in 1 s$' "$agent_err"
expect_line '^uscope agent: once ended with status 0: it starts again in 2 s$' "$agent_err"

children=$(pgrep -P "$agent_pid")
kill -KILL "$agent_pid"
for process in $children; do
	wait_for "! alive $process" "$tool_limit"
done
wait_for "! '$ROOT/tests/breakpoints' $spin >'$T/left'" 20
expect_equal "$(grep -c "uscope-agent-$agent_pid" /proc/net/unix || true)" 0
