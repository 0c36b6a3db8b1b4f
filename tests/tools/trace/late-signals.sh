#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# A tool that ends by itself has removed its probes and is still busy: it writes, here to a pipe
# that nobody reads. The first signal in this state asks for the end that is already in progress:
# all output, status 0, no record. A further one ends the tool at once.
end_and_stall() {
	local pipe=$T/tool$((tools_started + 1)).out
	mkfifo "$pipe"
	exec {reader}<>"$pipe"
	run_tool trace -A -M 4000 "$TARGETS/flood:flood \"number %d of many\", number"
	"$TARGETS/flood" 1 4000 >/dev/null
	wait_for "[[ \$(cat /proc/$tool_pid/syscall) == '1 0x1 '* ]]" 20 # write(1, ...)
	expect_equal "$(cat /proc/"$tool_pid"/fdinfo/* | grep '^link_type')" ''
	kill -INT "$tool_pid"
	wait_for "! grep -qs '^S[a-z]*Pnd:.*[1-9a-f]' /proc/$tool_pid/status" 20 # handled, or killed by it
	alive "$tool_pid" || fail 'the first signal ended it at once'
}

end_and_stall
cat "$tool_out" >"$T/text" {reader}>&- &
exec {reader}>&-
stop_tool
wait $!
mv "$T/text" "$tool_out"
expect_status 0
expect_count 4000 '-->COUNT 1$' "$tool_out"
[ ! -e "/run/uscope/$tool_pid" ] || fail 'the tool has left its record'

end_and_stall
# Several signals within half a second count as one.
wait_for "! kill -INT $tool_pid 2>/dev/null || ! alive $tool_pid" 20
stop_tool
rm "$tool_out"
exec {reader}>&-
[ "$tool_status" -eq 130 ] || fail "a second signal: status $tool_status"
killed=$tool_pid
run "$BIN/trace" -d 0.1 "$TARGETS/flood:flood" # the next tool
[ ! -e "/run/uscope/$killed" ] || fail 'the record of a killed tool was not removed'
