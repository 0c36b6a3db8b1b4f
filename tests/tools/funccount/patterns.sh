#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Patterns select functions, probes and events: C++ names, regular expressions, USDT, tracepoints.
demo=$TARGETS/demo
names() { awk '/^[a-z_:A-Z]+ +[0-9]+$/ { print $1 }' "$tool_out" | sort | xargs; }

run_tool funccount -r "$demo:shop::(Cart::add|pay)\$"
"$demo" 2 >"$T/out"
stop_tool INT
expect_status 0
expect_line '^Tracing 3 functions for' "$tool_announced" # two overloads
expect_equal "$(names)" shop::pay
expect_line '^shop::Cart::add\(shop::Item const&\) +5$' "$tool_out"
expect_line '^shop::Cart::add\(std::.*, int\) +5$' "$tool_out"

# A regular expression matches from the beginning of names.
run_tool funccount -r "$demo:_ZN4shop3p"
stop_tool INT
expect_line '^Tracing 1 function for' "$tool_announced"
run_tool funccount -r "$demo:.*[yr]\$"
"$demo" 1 >"$T/out"
stop_tool INT
expect_line '^shop::pick_customer +1$' "$tool_out"
expect_line '^shop::place_order +1$' "$tool_out"
expect_line '^shop::pay +1$' "$tool_out"

# USDT probes with arguments at different locations, together with functions and a tracepoint.
run_tool funccount "u:$demo:shop:*" "$demo:shop::pay" 't:signal:signal_generate'
"$demo" 3 >"$T/out"
kill -0 $$
kill -CONT $$
stop_tool INT
expect_equal "$(awk '/^(order|payment|shop|signal)/ { print $1, $2 }' "$tool_out" |
	sed 's/^signal_generate .*/signal/' | sort -u | xargs)" \
	'order__failed 1 order__placed 3 payment__done 3 shop::pay 3 signal'
expect_line '^item__added +[0-9]+$' "$tool_out"

run_tool funccount -r "u:$demo:shop:(order|payment)__p?" 't:signal:signal_(gen|del)'
stop_tool INT
expect_line '^Tracing 5 functions' "$tool_announced"
