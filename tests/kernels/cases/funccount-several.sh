# shellcheck shell=sh
. /kernels/lib.sh

# Functions are counted separately, also by process.
run_tool funccount -P '/targets/calls:[prsj]*[a-z]'
/targets/calls 2 plain:300 recursive:20 slow:3 jump:2
stop_tool TERM
expect_equal "$(awk '$3 ~ /^[0-9]+$/ && $1 ~ /^(plain|recursive|slow|jumped)$/ { print $1, $3 }' "$tool_out" | xargs)" \
	'slow 6 jumped 8 recursive 40 plain 604'
