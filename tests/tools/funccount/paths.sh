#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# With each attach method, calls of different functions are counted separately; -v names the method
# and the reason for it.
target=$TARGETS/calls
declare -A way=([session]='uprobe_multi links, and one program for a call and its return' [multi]='uprobe_multi links'
	[tracefs]='a tracefs event for the sites in a file, a perf event for a single site'
	[perf]='a perf event for each site')
for path in session multi tracefs perf; do
	run_tool funccount --verbose --force-path "$path" "$target:plain" "$target:recursive" "$target:slow" "$target:jumped"
	"$target" 2 plain:500 recursive:50 slow:3 jump:2
	stop_tool INT
	expect_status 0
	expect_equal "$(awk 'NF == 2 && $2 ~ /^[0-9]+$/ { print $1, $2 }' "$tool_out" | xargs)" \
		'slow 6 jumped 8 recursive 100 plain 1004'
	expect_line "^probes in programs: ${way[$path]} \(by --force-path\)$" "$tool_err"
done
