#!/bin/bash
# timeout: 240
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/agent.bash"

# If the tools need more processor time than their budget, the one that needs most ends for a time,
# and starts again later. The tool that needs little stays.
choose_metrics_port
flood=$TARGETS/flood
cat >"$T/agent.yaml" <<END
agent:
  metrics: 127.0.0.1:$metrics_port
  cpu: 0.5%
tools:
  every: {tool: trace, options: ["$flood:flood(long thread, long number) \"%d\", number"]}
  rare: {tool: killsnoop, options: [-p, $$]}
END
start_agent
rare=$(child killsnoop)
start_target "$flood" 1 2000000000
wait_for_sum 1 uscope_agent_tool_pauses_total 'tool="every"'
wait_for_sum 0 uscope_agent_tool_up 'tool="every"'
! child flood || fail 'the tool that pauses still runs'
expect_line '^uscope agent: every used [0-9.]+% of a processor, all tools [0-9.]+% of 0\.5% \(cpu\): it pauses for 30 s$' "$agent_err"
expect_line '^uscope_agent_tool_cpu_seconds_total\{tool="every"\} [0-9]*\.0*[1-9]' "$T/scraped"
expect_line '^uscope_agent_cpu_budget_seconds 0\.005' "$T/scraped"
stop_target
wait_for_sum 1 uscope_agent_tool_up 'tool="every"'
expect_equal "$(sum_of uscope_agent_tool_restarts_total . "$T/scraped")" 0
expect_equal "$(sum_of uscope_agent_tool_pauses_total . "$T/scraped")" 1
expect_equal "$(child killsnoop)" "$rare"
tool_pid=$agent_pid
stop_tool TERM
expect_status 0
