#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# A tool that ends by itself has taken its probes out and is still at work: it writes, here to a pipe that nobody reads. The
# first signal that comes then asks for the end that is under way: all output, status 0, no record. A further one ends it.
end_and_stall() {
	local pipe=$T/tool$((tools_started + 1)).out
	mkfifo "$pipe"
	exec {reader}<>"$pipe"
	run_tool trace -A -M 4000 "$TARGETS/flood:flood \"number %d of many\", number"
	"$TARGETS/flood" 1 4000 >/dev/null
	wait_for "[[ \$(cat /proc/$tool_pid/syscall) == '1 0x1 '* ]]" 20 # write(1, ...)
	expect_equal "$(cat /proc/"$tool_pid"/fdinfo/* | grep '^link_type')" ''
	kill -INT "$tool_pid"
	wait_for "! grep -qs '^S[a-z]*Pnd:.*[1-9a-f]' /proc/$tool_pid/status" 20 # it has taken the signal, or is dead of it
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
[ ! -e "/run/uscope/$tool_pid" ] || fail 'its record was left behind'

end_and_stall
# Within half a second it takes several for one.
wait_for "! kill -INT $tool_pid 2>/dev/null || ! alive $tool_pid" 20
stop_tool
rm "$tool_out"
exec {reader}>&-
[ "$tool_status" -eq 130 ] || fail "a second signal: status $tool_status"
killed=$tool_pid
run "$BIN/trace" -d 0.1 "$TARGETS/flood:flood" # the next tool
[ ! -e "/run/uscope/$killed" ] || fail 'the record of one that was killed was left behind'
