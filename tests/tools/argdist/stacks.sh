#!/bin/bash
# ring: first
# shares: stacks
source "$(dirname "$0")/../../lib.sh"

# -U: the stack is part of the key, for counts and histograms, with and without other keys.
need_command jq
target=$TARGETS/stacks
run_tool argdist -i 60 -U --json -C "p:$target:work(int n):int:n/100" -C "p:$target:seldom()" -H "p:$target:work(int n):int:n"
"$target"
stop_tool INT
expect_status 0
expect_equal "$(jq -rc 'select(.key["n/100"] != null and .user_stack[1] != "down") | [.count, .key["n/100"], .user_stack[0:2], .kernel_stack, .cut]' "$tool_out" | sort)" \
	'[1,3,["work","thread"],[],null]
[2,1,["work","seldom"],[],null]
[3,0,["work","often"],[],null]'
expect_equal "$(jq -rc 'select(.user_stack[0] == "seldom") | [.count, .key, .user_stack[1]]' "$tool_out")" '[1,{},"main"]'
expect_equal "$(jq -sc 'map(select(.histogram and .user_stack[1] == "down") | [.histogram.sum, (.user_stack | map(select(. == "down")) | length)]) | sort' "$tool_out")" \
	'[[200,1],[201,2],[202,3],[203,4],[204,5]]'
expect_equal "$(jq -c 'select(.histogram and .user_stack[1] == "often") | [.count, .histogram.sum]' "$tool_out")" '[3,3]'

# In text output, the frames are below their row.
run_tool argdist -i 60 -U --lines -C "p:$target:work(int n):int:n/100" -T 1
"$target"
stop_tool INT
expect_equal "$(grep -A 3 -E '^	[0-9]' "$tool_out")" '	3          n/100 = 0
    work (stacks.c:22)
    often (stacks.c:27)
    main (stacks.c:67)'

# Strings as additional keys; a long one leaves room for the walk's data.
run_tool argdist -i 60 -U -z 240 -C 'p:c:setenv(char *name):char*:name' -p $$
export USCOPE_STACKS=1
stop_tool INT
expect_status 0

# The kernel stack of tracepoints.
run_tool argdist -i 60 -K --json -C 't:sched:sched_process_exit():int:args->prio' --comm stacks
"$target"
stop_tool INT
expect_equal "$(jq -s 'map(select(.kernel_stack)) | [(map(.count) | add), all(.kernel_stack | index("do_exit") != null), all(.user_stack == [])]' -c "$tool_out")" \
	'[2,true,true]'
