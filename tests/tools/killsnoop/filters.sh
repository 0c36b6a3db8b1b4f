#!/bin/bash
# ring: first
# shares: signals
source "$(dirname "$0")/../../lib.sh"

# Filters by sender and signal: by process (one, several, their children), name, user, signal.
cp "$TARGETS/signals" "$T/others"
send() { "$1" kill real-time ignored >/dev/null; }
signals() { awk 'NR > 1 { print $4 }' "$tool_out" | xargs; }
seen() { awk 'NR > 1 { print $3 }' "$tool_out" | sort -u | xargs; }

run_tool killsnoop --comm signals,others
send "$TARGETS/signals"
send "$T/others"
stop_tool INT
expect_equal "$(seen)" 'others signals'
expect_equal "$(signals)" '10 37 12 9 9 9 10 37 12 9 9 9'

run_tool killsnoop --comm others -s usr1 -s SIGRTMIN+3,9
send "$TARGETS/signals"
send "$T/others"
stop_tool INT
expect_equal "$(seen)" others
expect_equal "$(signals)" '10 37 9 9 9'

run_tool killsnoop --uid 65534 -s 12
send "$TARGETS/signals"
setpriv --reuid=65534 --clear-groups "$T/others" ignored kill >/dev/null
stop_tool INT
expect_equal "$(seen)" others
expect_equal "$(signals)" 12

# Two of three senders, and the children of one.
mkfifo "$T/go"
exec 7<>"$T/go"
start() {
	stdin=$T/go start_target_and_wait "$@"
}
senders=()
for _ in 1 2 3; do
	start "$TARGETS/signals" wait kill
	senders+=("$target_pid")
done
run_tool killsnoop -p "${senders[0]},${senders[2]}" -s USR1
printf '\n\n\n' >&7
stop_tool
expect_status 0
expect_equal "$(awk 'NR > 1 { print $2 }' "$tool_out" | sort | xargs)" \
	"$(printf '%s\n' "${senders[0]}" "${senders[2]}" | sort | xargs)"

start sh -c "echo; read -r line; '$TARGETS/signals' kill; exit 0"
run_tool killsnoop -F -p "$target_pid" -s USR1
echo >&7
wait_for "grep -q signals '$tool_out'" 10
stop_tool INT
expect_equal "$(seen)" signals
