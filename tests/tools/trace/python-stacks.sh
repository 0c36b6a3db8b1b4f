#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/python-stacks.bash"

# In the stacks of a Python program, Python's functions replace the interpreter's loop.
need_python
python_stacks "${python_program[@]}"

# C functions keep their positions: between a key function and the function that sorts.
expect_line '\(shapes.py' <(sed -n '/ keyed (/,/ main (/p' "$tool_out" | grep -B 1 -A 1 -E '\[.*python3')

# --native shows the interpreter's C functions instead.
trace_stacks --native c:getppid -- "${python_program[@]}" "$T/shapes.py"
expect_line '_PyEval_EvalFrameDefault|\[python3' "$tool_out"
expect_no_line 'shapes.py' "$tool_out"
