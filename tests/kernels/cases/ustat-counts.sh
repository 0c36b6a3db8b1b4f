# shellcheck shell=sh
. /kernels/lib.sh

# The activity of running programs, and of one that starts later; a fixture stands in for Perl and Node.js.
cp /targets/runtime "$T/perl5.36"
cp /targets/runtime "$T/node"
sum() { # KEY LANGUAGE
	sed -n "/\"language\":\"$2\"/s/.*\"$1\":\\([0-9]*\\).*/\\1/p" "$tool_out" | awk '{ sum += $1 } END { print sum + 0 }'
}
start_target "$T/perl5.36"
run_tool ustat --json -i 0.5
echo calls >&8
wait_for "[ \"\$(sum methods perl)\" = 510 ]" 60
start_target "$T/node"
wait_for "grep -q '\"language\":\"node\"' '$tool_out'" 60
echo collect >&8
wait_for "[ \"\$(sum gcs node)\" = 3 ]" 60
stop_tool INT
