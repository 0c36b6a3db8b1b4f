#!/bin/bash
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Non-ASCII names of Python functions: in 3.11, and in 3.13, which stores them differently.
need_python_3_11
trace_python_names "${python_program[@]}"
debian_root trixie python3.13
trace_python_names "${in_root[@]}" python3.13
