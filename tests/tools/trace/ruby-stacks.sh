#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/ruby-stacks.bash"

# In the stacks of a Ruby program, its methods and blocks replace the interpreter's loop.
need_ruby
ruby_stacks "${ruby_program[@]}"
expect_line 'ensure in block in jumps ' "$T/frames"
# The function that calls the loop follows the methods that the loop has executed.
awk '/ rb_vm_exec\+/ && before !~ /\)$/ { print before; print } { before = $0 }' "$tool_out" >"$T/loops"
expect_equal "$(cat "$T/loops")" ''

# C functions keep their positions: between the method that sorts and the block that it calls.
expect_line 'rb_ary_sort' <(grep -B 12 ' sort (internal)' "$tool_out" | sed -n '/ <=> (shapes/,$p')

# --native shows the interpreter's C functions instead.
trace_stacks --native c:getppid -- "${ruby_program[@]}" "$T/shapes.rb"
expect_line '\[libruby' "$tool_out"
expect_no_line '\(shapes.rb:' "$tool_out"
