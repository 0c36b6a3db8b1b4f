#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Functions of a stripped program have one spelling, the address at which they start, that all tools
# take and show. The program counts its own calls and returns: a call that an exception ends does
# not return.
need_command nm strip jq
srv=$T/srv full=$TARGETS/nameless
strip -s -o "$srv" "$full"
declare -A start calls returns
at() { nm "$full" | grep -v '\.cold$' | sed -nE "s/^0*([0-9a-f]+) [a-zA-Z] $1\$/0x\1/p"; } # REGEX
start=([parse]=$(at '_ZN.*5parseE.*') [serve]=$(at '_ZN.*5serveE.*')
	[text]=$(at '_ZN.*basic_string.*3putE.*') [number]=$(at '_ZN.*StoreIlE3putE.*'))
while read -r name called returned; do
	calls[$name]=$called returns[$name]=$returned
done < <("$srv")
expect_equal "${#calls[@]} ${calls[text]} ${returns[text]} $(wc -w <<<"${start[*]}")" '4 35 21 4'

# Runs a tool while the program runs once.
around() { # TOOL ARG…
	run_tool "$@"
	"$srv" >/dev/null
	stop_tool INT
	expect_status 0
}

# funccount names the functions that run, in the form that the next tool takes.
around funccount "$srv:+*"
for name in "${!start[@]}"; do
	expect_line "^\\+${start[$name]} +${calls[$name]}\$" "$tool_out"
done
expect_count "$(grep -c . "$tool_out")" '^(FUNC +COUNT|\+0x[0-9a-f]+ +[0-9]+)$' "$tool_out"
shown=$(awk -v n="${calls[text]}" '$2 == n { print $1; exit }' "$tool_out")
around funccount "$srv:$shown"
expect_line "^\\$shown +${calls[text]}\$" "$tool_out"
around funccount -r "$srv:\\+(${start[text]}|${start[serve]})\$"
expect_equal "$(awk '/^\+/ { print $2 }' "$tool_out" | xargs)" "${calls[text]} ${calls[serve]}"

# Entries and returns. An address of a function's start means its returns, too.
serve=+${start[serve]}
run "$BIN/trace" -q "$srv:$serve" "r:$srv:$serve \"%d\", (int)retval" "r:$srv:${start[number]}" --exec -- "$srv"
expect_status 0
expect_count "$((calls[serve] + returns[serve]))" " \\$serve( |\$)" "$tool_out"
expect_count "${returns[number]}" " \\+${start[number]}( |\$)" "$tool_out"
expect_count 35 " \\$serve +-1\$" "$tool_out"
expect_line " \\$serve +7\$" "$tool_out"
around argdist -q -C "r:$srv:$serve():int:retval" -C "p:$srv:+${start[text]}(void *store, void *key, int n):int:n"
expect_line '^	35 +retval = -1$' "$tool_out"
expect_equal "$(awk '/ n = / { sum += $1 } END { print sum }' "$tool_out")" "${calls[text]}"
around stackcount -U "$srv:$serve"
expect_line "^  srv:\\$serve\$" "$tool_out"
expect_line "^    ${calls[serve]}\$" "$tool_out"
for where in "$serve" "${start[serve]}"; do
	around funclatency --json "$srv:$where"
	expect_equal "$(jq -r '"\(.func) \(.histogram.count)"' "$tool_out")" "$serve ${returns[serve]}"
done

# With symbols, the same probe shows the name, and nothing is left for the pattern.
run "$BIN/trace" -q "$full:$serve" --exec -- "$full"
expect_count "${calls[serve]}" ' \(anonymous namespace\)::serve( |$)' "$tool_out"
run "$BIN/trace" "$full:+*" --exec -- "$full"
expect_status 1
expect_line 'all functions of it that are known have names' "$tool_err"

# Where no function starts, the nearest one below is named.
inside=$(printf '0x%x' $((start[serve] + 1)))
for probe in "$srv:+$inside" "r:$srv:+$inside" "r:$srv:$inside"; do
	expect_refusal 1 "no function of $srv is known to start at $inside; the next one below starts at \\$serve\$" \
		trace "$probe"
done
expect_refusal 1 "no function of $srv .* starts at \\$serve\$" funclatency "$srv:$inside"
expect_refusal 1 "no function of $full .* starts at \\$serve \\(.*serve\\(.*\\)\\)\$" stackcount "$full:+$inside"
