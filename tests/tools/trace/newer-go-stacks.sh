#!/bin/bash
# timeout: 400
# alone: every instruction of a program has a probe; copies of stacks are short while many wait for
# the tool
source "$(dirname "$0")/../../lib.sh"

# As go-stacks.sh, with programs that older and newer Go versions have built.
source "$(dirname "$0")/../go.bash"
source "$(dirname "$0")/go-stacks.bash"
for go in 'bullseye 1.15' 'trixie 1.24' 'sid 1.27'; do
	read -r suite version <<<"$go"
	build_newer_go "$suite" "$version" "$T/frames" frames.go -gcflags=-l
	expect_stacks_of_go "$T/frames"
	build_newer_go "$suite" "$version" "$T/pie" frames.go -gcflags=-l -buildmode=pie
	strip -o "$T/stripped" "$T/pie"
	expect_stacks_of_go "$T/stripped" "$T/pie"
	# Functions of the runtime on its own stack are followed by the goroutine's functions,
	# already at the first event.
	[ "$version" != 1.15 ] || continue
	run "$BIN/trace" -U "$T/frames:runtime.(*mheap).allocSpan" --exec -- "$T/frames"
	expect_status 0
	expect_equal "$(awk '/^ *\[cut/ { print before } { before = $1 }' "$tool_out" | grep -v '^runtime\.morestack' || true)" ''
	expect_line ' runtime\.systemstack\.abi0\+' "$tool_out"
	expect_line ' main\.main\+' "$tool_out"
done
