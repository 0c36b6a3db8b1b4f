#!/bin/bash
# ring: first
# shares: reads
source "$(dirname "$0")/../../lib.sh"

# Counts every call of the family exactly, by call and by type of file; -s selects calls.
counts() { # prints the word after "$1 = " with the count
	awk -v key="$1" '/^comm = / { name = $0; sub(".*" key " = ", "", name); sub(",.*", "", name) }
		/^avg = / { print name, $NF }' "$tool_out" | sort | xargs -d '\n' | sed 's/ *$//'
}
family=(read:301 pread64:302 readv:303 preadv:304 preadv2:305 recvfrom:306 recvmsg:307 recvmmsg:308)

run_tool readlat --comm reads
"$TARGETS/reads" "${family[@]}" >"$T/out"
stop_tool INT
expect_status 0
expect_equal "$(counts comm)" "reads $((8 * 300 + 36))"
expect_equal "$(awk '/\|$/ { sum += $5 } END { print sum }' "$tool_out")" $((8 * 300 + 36))

run_tool readlat --by-call --comm reads
"$TARGETS/reads" "${family[@]}" >"$T/out"
stop_tool TERM
expect_status 0
expect_equal "$(counts call)" "$(printf '%s\n' "${family[@]}" | tr : ' ' | sort | xargs)"

run_tool readlat --by-call --comm reads -s pread64 --calls readv,recvmsg
"$TARGETS/reads" "${family[@]}" >"$T/out"
stop_tool INT
expect_equal "$(counts call)" 'pread64 302 readv 303 recvmsg 307'

run_tool readlat --by-type --comm reads -f
"$TARGETS/reads" read:11 pipe:12 character:13 eventfd:14 directory:15 recvfrom:16 >"$T/out"
stop_tool INT
expect_status 0
expect_equal "$(counts type)" \
	'anonymous (eventfd 14 character device 13 directory 15 pipe 12 regular file 11 socket 16'

# Several threads at a time lose no counts.
run_tool readlat --comm reads
for _ in 1 2 3 4; do
	"$TARGETS/reads" read:50000 >"$T/out" &
	readers+=("$!")
done
wait "${readers[@]}"
stop_tool INT
expect_equal "$(counts comm)" 'reads 200000'
expect_equal "$(cat "$tool_err")" ''
