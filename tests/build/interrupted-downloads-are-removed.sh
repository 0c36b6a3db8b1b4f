#!/bin/bash
# privileges: none
source "$(dirname "$0")/../lib.sh"
need_command flock

# The next download removes the files of an interrupted one, but not while its children still write them.
half_made() {
	echo half >"$new/half"
	sleep 100 &
	echo $! >"$T/child"
	kill -KILL "$BASHPID"
}
whole() {
	ls "$new" >"$T/found"
	echo whole >"$new/whole"
	mv "$new/whole" "$T/cache"
}

(alone "$T/cache" half_made) || true
child=$(<"$T/child")
alone "$T/cache" whole &
waiting=$!
wait_for "grep -q -- '-> FLOCK .*:$(stat -c %i "$T/cache/lock") ' /proc/locks" 10
expect_equal "$(cat "$T/cache/new/half")" half
kill "$child"
wait "$waiting"
expect_equal "$(cat "$T/found")" ''
expect_equal "$(ls "$T/cache")" "$(printf 'lock\nwhole')"
