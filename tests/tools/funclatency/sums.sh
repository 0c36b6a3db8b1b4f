#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
need_command perl

# Values are whole milliseconds, but sums are not rounded: a hundred calls of at least 0.6 ms take
# at least 60 ms.
mkfifo "$T/start"
exec 7<>"$T/start"
stdin=$T/start start_target_and_wait perl -e '$| = 1; print "ready\n"; <STDIN>; select(undef, undef, undef, 0.0006) for 1 .. 100'
run_tool funclatency -m --json -p "$target_pid" c:select
echo >&7
stop_tool
expect_status 0
python3 - "$tool_out" <<'END'
import json, sys
histogram = json.loads(open(sys.argv[1]).read())["histogram"]
assert histogram["unit"] == "msecs" and histogram["count"] == 100, histogram
assert histogram["sum"] >= 60, histogram
assert histogram["avg"] == histogram["sum"] // 100, histogram
END
