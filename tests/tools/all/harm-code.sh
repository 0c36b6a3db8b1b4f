#!/bin/bash
# shares: signals
source "$(dirname "$0")/../../harm/harm.bash"

# Functions with unusual entries and exits, seccomp filters that kill at unknown system calls,
# signal handlers, and processes started by processes behave as they do untraced. (`make harm` has
# more of each.)
ways=(stacks returns)
for name in leaving assembly seccomp signals forks; do
	harmless "$name" "$TARGETS/harm/$name"
done
all_harmless
