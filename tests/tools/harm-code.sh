#!/bin/bash
# shares: signals
source "$(dirname "$0")/../harm/harm.bash"

# Functions that begin and leave in unusual ways, filters that kill at unknown system calls, signal handlers, processes
# from processes: all do what they do untraced. (make harm has more of each.)
ways=(stacks returns)
for name in leaving assembly seccomp signals forks; do
	harmless "$name" "$TARGETS/harm/$name"
done
all_harmless
