# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# The first probe's program reads a string with a function that has the second probe: the kernel then does
# not run the second program, and counts that since Linux 6.7.
counts=yes
case $(uname -r) in
5.* | 6.[0-6].*) counts='' ;;
esac
lost='hits of kernel probes'
reason='another probe or program was running on that CPU'
for form in '' --json; do
	# shellcheck disable=SC2086 # words
	run_tool trace $form --comm dd 'p::vfs_write "%s", buf@user' p::strncpy_from_user_nofault
	dd if=/dev/zero of=/dev/null bs=1 count=50
	wait_for "[ \$(grep -c vfs_write '$tool_out') -ge 50 ]" 60
	stop_tool TERM
	[ -n "$counts" ] || continue
	count=$(sed -nE "s/^trace: lost ([0-9]+) $lost: $reason\$/\1/p" "$tool_err" | awk '{ sum += $1 } END { print sum + 0 }')
	[ "$count" -ge 50 ] || {
		show "$tool_err"
		fail "$count misses were reported, not 50 or more"
	}
	[ -z "$form" ] ||
		expect_line "^\{\"type\":\"lost\",\"time_ns\":[0-9]+,\"count\":[0-9]+,\"what\":\"$lost\",\"reason\":\"$reason\"\}\$" "$tool_out"
done
