#!/bin/bash
# alone: it kills a tool, and any tool that starts next would remove the leftover probes
source "$(dirname "$0")/../../lib.sh"

# However the tool ends, it leaves no program in the kernel, no changed code and no process; the
# traced program continues.
need_command bpftool
cp "$TARGETS/flood" "$T/flood"
objcopy --redefine-sym flood=left_nowhere "$T/flood"
start_target_and_wait "$T/flood" 1 100000 2
probe="$T/flood:left_nowhere"
programs() { bpftool prog list | grep -c 'name left_nowhere' || true; }
base=$((16#$(awk -F - '/flood/ { print $1; exit }' "/proc/$target_pid/maps")))
address=$((base + 0x$(nm "$T/flood" | awk '$3 == "left_nowhere" { print $1 }')))
code() { dd if="/proc/$target_pid/mem" bs=16 count=1 skip="$address" iflag=skip_bytes status=none | od -An -tx1; }
before=$(code)

for ending in INT TERM HUP KILL; do
	run_tool trace -p "$target_pid" "$probe" "r:$probe \"%d\", \$entry(number)"
	[ "$(programs)" -gt 0 ] || fail "the tool's programs were not found by name"
	[ "$(code)" != "$before" ] || fail 'the probe has not changed the code'
	stop_tool "$ending"
	wait_for '[ "$(programs)" = 0 ] && [ "$(code)" = "$before" ]' 10
done

# A failure after the first probe is attached: the second probe does not exist, nor does the
# command.
run "$BIN/trace" "$probe" "$T/flood:nothing" --exec -- sleep 98765
expect_status 1
run "$BIN/trace" "$probe" "$T/flood:left_nowhere (" --exec -- sleep 98765
expect_status 2
run "$BIN/trace" "$probe" --exec -- "$T/none"
expect_status 1
expect_equal "$(grep -lzx 98765 /proc/[0-9]*/cmdline 2>/dev/null)" ''
wait_for '[ "$(programs)" = 0 ]' 10


# A run that ends after -M lines.
run "$BIN/trace" -M 3 "$probe" -d 5
wait_for '[ "$(programs)" = 0 ] && [ "$(code)" = "$before" ]' 10
alive "$target_pid" || fail 'the program has ended'
