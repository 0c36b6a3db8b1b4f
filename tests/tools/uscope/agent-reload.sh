#!/bin/bash
# timeout: 240
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/agent.bash"

# SIGHUP makes the agent read its file again: only tools whose options changed start again. A file
# with errors changes nothing.
choose_metrics_port
start_target "$TARGETS/spin"
spin=$target_pid
file_with() { # LINE…
	printf '%s\n' "agent: {metrics: '127.0.0.1:$metrics_port'}" 'tools:' "$@" >"$T/agent.yaml"
}
mallocs="  mallocs: {tool: argdist, options: [-p, $spin, -C, 'p:c:malloc()']}"
frees="  frees: {tool: argdist, options: [-p, $spin, -C, 'p:c:free()']}"
file_with "$mallocs" "$frees" "  exits: {tool: trace, options: [-p, $spin, c:exit]}"
start_agent
old_mallocs=$(child 'malloc') old_frees=$(child 'c:free')

file_with "$mallocs" "${frees/-C/-i, 0.5, -C}" "  reads: {tool: readlat, options: [-p, $spin]}"
kill -HUP "$agent_pid"
wait_for "grep -q 'is read again' '$agent_err'" 60
expect_line "^uscope agent: $T/agent.yaml is read again: 3 tools changed$" "$agent_err"
expect_equal "$(pgrep -P "$agent_pid" -l | cut -d ' ' -f 2 | sort -u | xargs)" 'argdist readlat'
wait_for_sum 3 uscope_agent_tool_up .
wait_for_sum 0 uscope_agent_tool_restarts_total .
expect_equal "$(child malloc)" "$old_mallocs"
[ "$(child 'c:free')" != "$old_frees" ] || fail 'the changed tool runs with its old options'
tr '\0' ' ' <"/proc/$(child c:free)/cmdline" >"$T/frees"
expect_line ' -i 0.5 -C p:c:free' "$T/frees"
! child c:exit || fail 'the removed tool runs'
wait_for_sum 1 uscope_agent_reloads_total .

# Many signals at once are one or two requests.
for ((i = 0; i < 300; i++)); do
	kill -HUP "$agent_pid"
done
wait_for "[ \"\$(grep -c 'is read again' '$agent_err')\" -ge 3 ]" 20
[ "$(grep -c 'is read again' "$agent_err")" -le 5 ] || fail 'each signal made it read the file'
wait_for_sum 3 uscope_agent_tool_up .

# Neither wrong YAML nor wrong options end what runs.
children=$(pgrep -P "$agent_pid" | sort)
file_with "$mallocs" '  frees: {tool: argdist, options: [--no-such-option]}'
kill -HUP "$agent_pid"
wait_for_sum 1 uscope_agent_refused_reloads_total .
expect_line "^uscope agent: $T/agent.yaml:4: frees: .*--no-such-option" "$agent_err"
expect_line "^uscope agent: $T/agent.yaml is not used: the tools run as before$" "$agent_err"
file_with '  ['
kill -HUP "$agent_pid"
wait_for_sum 2 uscope_agent_refused_reloads_total .
expect_line "^uscope agent: $T/agent.yaml:4: this is not YAML: " "$agent_err"
rm "$T/agent.yaml"
kill -HUP "$agent_pid"
wait_for_sum 3 uscope_agent_refused_reloads_total .
expect_equal "$(pgrep -P "$agent_pid" | sort)" "$children"
wait_for_sum 3 uscope_agent_tool_up .

# Another port.
old_port=$metrics_port
choose_metrics_port
file_with "$mallocs"
kill -HUP "$agent_pid"
wait_for_sum 1 uscope_agent_tool_up .
! curl -s --max-time 5 "http://127.0.0.1:$old_port/metrics" >"$T/old" || fail 'it still answers on the old port'
tool_pid=$agent_pid
stop_tool INT
expect_status 0
