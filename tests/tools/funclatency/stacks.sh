#!/bin/bash
# ring: first
# shares: stacks
source "$(dirname "$0")/../../lib.sh"

# A histogram for each call path to the function. down() calls itself four times.
need_command jq
target=$TARGETS/stacks
ways='1 main
1 down main
1 down down main
1 down down down main
1 down down down down main'
run_tool funclatency -U --json "$target:down"
"$target"
stop_tool INT
expect_status 0
expect_equal "$(jq -r 'select(.func) | "\(.histogram.count) \([.user_stack[] | select(. == "down" or . == "main")] | join(" "))"' \
	"$tool_out" | sort)" "$(sort <<<"$ways")"
expect_equal "$(jq -sc 'map(select(.func)) | map([.kernel_stack, .cut]) | unique' "$tool_out")" '[[[],null]]'

# The kernel's return probe shows the same callers, except above calls in progress, whose return
# addresses it has replaced.
for way in exit probe; do
	run_tool funclatency -U --json --force-return "$way" "$target:seldom" "$target:thread"
	"$target"
	stop_tool INT
	expect_equal "$(jq -rc 'select(.func) | [.func, .histogram.count, .user_stack[0], .cut]' "$tool_out" | sort)" \
		'["seldom",1,"main",null]
["thread",1,"clone3",null]'
done

# In text output, the callers are below the title. Levels, --min and other keys also work.
run_tool funclatency -U --lines -l 2 --min 1ns --by-comm "$target:down"
"$target"
stop_tool INT
expect_status 0
expect_equal "$(grep -A 2 '^Function' "$tool_out" | grep 'stacks.c' | sort)" '    down (stacks.c:40)
    main (stacks.c:69)
    main (stacks.c:69)'
expect_count 2 '^Function = down \[stacks\]$' "$tool_out"
expect_count 1 '^avg = [0-9]+ nsecs, total: [0-9]+ nsecs, count: 2$' "$tool_out"

# For flame graphs: time by stack, with the function as leaf.
run_tool funclatency -U -f "$target:down"
"$target"
stop_tool INT
expect_equal "$(sed -nE 's/^stacks;.*;(main;.*) [0-9]+$/\1/p' "$tool_out" | sort)" "$(sed 's/^1 //; s/$/ x/' <<<"$ways" |
	awk '{ for (i = NF - 1; i; i--) printf "%s;", $i; print "down" }' | sort)"
expect_equal "$(wc -l <"$tool_out")" 5
run_tool funclatency -U --svg "$T/slow.svg" "$target:down"
"$target"
stop_tool INT
expect_status 0
expect_equal "$(cat "$tool_out")" ''
expect_line '<title>down \([0-9.]+ [mun]?s, ' "$T/slow.svg"
