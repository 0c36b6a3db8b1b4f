#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/php-stacks.bash"

# In the stacks of a PHP program, PHP's functions replace the interpreter's loop.
need_php
php_stacks "${php_program[@]}"
expect_line 'Fiber::resume \(internal\)' "$T/frames"

# C functions keep their positions: between the function that sorts and the one that it calls.
expect_line '\[.*php' <(sed -n '/ {closure} (shapes/,/ usort (internal)/p' "$tool_out" | head -n 20)

# With probes of functions enabled, each function has its own activation of the loop.
export USE_ZEND_DTRACE=1
php_stacks "${php_program[@]}"
unset USE_ZEND_DTRACE

# --native shows the interpreter's C functions instead.
trace_stacks --native c:usleep -- "${php_program[@]}" "$T/shapes.php"
expect_line 'execute_ex|\[php' "$tool_out"
expect_no_line 'shapes.php' "$tool_out"
