#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# A Ruby program with a TracePoint only for calls does not report returns: the tool says so.
need_ruby
write_ruby
sed -i 's/(:call, :return)/(:call)/' "$T/octi.rb"
start_waiting "${ruby_program[@]}" "$T/octi.rb" 1
run_tool uflow "$target_pid"
stop_tool INT
expect_line "^uflow: process $target_pid \(ruby 3\.1.*: returns of methods written in Ruby are seen only while" "$tool_err"
