#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/language.bash"

# Names of Python's functions that are not ASCII: in 3.11, and in 3.13, which keeps them otherwise.
[ -x /usr/bin/python3.11 ] || skip 'python3.11 is not installed'
trace_python_names /usr/bin/python3.11
debian_root trixie python3.13-minimal
trace_python_names "${in_root[@]}" python3.13
