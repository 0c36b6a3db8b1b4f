#!/bin/bash
# shares: redis
source "$(dirname "$0")/../../lib.sh"

# All servers have probes, also those that go into the background as they start. Processes that only
# read the program's file find it unchanged.
need_command python3
start_redis
server=$(readlink -f "/proc/$redis_pid/exe")
run_tool rediscommands --json
wait_for_probes "$redis_pid"
cat >"$T/read.py" <<'PY'
import mmap, sys
with open(sys.argv[1], "rb") as file:
    data = mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ)
    print("same" if data[:] == file.read() else "changed")
PY
expect_equal "$(python3 "$T/read.py" "$server")" same

later=$T/later
redis-server --port 0 --unixsocket "$later" --save '' --daemonize yes --dir "$T" >"$T/log"
at_exit "redis-cli -s '$later' shutdown nosave"
wait_for "redis-cli -s '$later' get octi >'$T/answer' 2>&1 && grep -q octi '$tool_out'" 20
redis-cli -s "$redis_socket" get before >"$T/answer"
wait_for "grep -q before '$tool_out'" 20
stop_tool INT
expect_status 0
expect_no_line . "$tool_err"
