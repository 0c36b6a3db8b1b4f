#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# A language that does not report allocations.
start_python_worker
expect_refusal 1 '.*CPython has no probe for allocations \(-l c counts the blocks that it allocates with malloc\)$' \
	uobjnew -l python "$target_pid"
