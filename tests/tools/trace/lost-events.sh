#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# A flood into a tiny buffer: shown and lost events together are all calls.
probe="$TARGETS/flood:flood \"%d %d\", thread, number"
for option in --buffer=4K --buffer-pages=1; do
	run "$BIN/trace" "$option" "$probe" --exec -- "$TARGETS/flood" 2 100000
	expect_status 0
	shown=$(grep -c ' flood +\?' "$tool_out")
	lost=$(sed -n 's/^trace: .*events, \([0-9]*\) lost$/\1/p' "$tool_err")
	expect_line '^trace: lost [0-9]+ events' "$tool_err"
	expect_equal "$((shown + lost))" 200000
	expect_equal "$(sed -n 's/^trace: lost \([0-9]*\) .*/\1/p' "$tool_err" | paste -sd+ | bc)" "$lost"
done

run "$BIN/trace" --buffer 4096 --json "$probe" --exec -- "$TARGETS/flood" 2 100000
expect_status 0
shown=$(grep -c '"func":"flood"' "$tool_out")
lost=$(sed -n 's/^{"type":"lost","time_ns":[0-9]*,"count":\([0-9]*\),"what":"events","reason":"the buffer was full (increase --buffer)"}$/\1/p' "$tool_out" | paste -sd+ | bc)
[ "$lost" -gt 0 ] || fail 'nothing was lost'
expect_equal "$((shown + lost))" 200000
expect_line "^\{\"type\":\"end\",\"time_ns\":[0-9]+,\"events\":$shown,\"shown\":$shown,\"lost\":$lost\}\$" "$tool_out"

# A buffer that is large enough loses nothing, and no loss is reported.
run "$BIN/trace" --buffer 16M "$probe" --exec -- "$TARGETS/flood" 2 10000
expect_status 0
expect_count 20000 ' flood +[12] [0-9]+$' "$tool_out"
expect_equal "$(cat "$tool_err")" ready # the program's own line
