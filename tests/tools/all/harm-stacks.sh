#!/bin/bash
source "$(dirname "$0")/../../harm/harm.bash"

# Programs that leave functions by exceptions, longjmp and cancellation, or that have several
# stacks, behave as they do untraced while all of their functions are traced. (`make harm` has more
# of each.)
ways=(counts returns latencies)
for name in exceptions longjmp contexts cancel backtrace coroutines; do
	harmless "$name" "$TARGETS/harm/$name"
done
all_harmless
