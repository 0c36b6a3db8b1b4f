#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# Calls and returns of a Ruby program, in the order and at the depth in which it makes them, also if
# an exception ends them.
need_ruby
write_ruby
start_waiting "${ruby_program[@]}" "$T/octi.rb" 2
run_tool uflow "$target_pid"
proceed
wait_done
stop_tool INT
expect_status 0
expect_line "^Tracing method calls in process $target_pid \(language: ruby\) … Press Ctrl-C to end\.$" "$tool_announced"
expect_line '^TIME +CPU PID    TID    METHOD$' "$tool_out"
expect_line "^[0-9:]{8}\.[0-9]{6} [0-9]+ +$target_pid +$target_pid +-> Octi\.run$" "$tool_out"
expect_count 10 '<- Octi\.[a-z_]+ \([0-9.]+[num]?s\)$' "$tool_out"
once='-> Octi.run
  -> Octi.fail_at
    -> Octi.fail_at
      -> Octi.fail_at
      <- Octi.fail_at
    <- Octi.fail_at
  <- Octi.fail_at
  -> Octi.other
  <- Octi.other
<- Octi.run'
expect_equal "$(tree)" "$once
$once"
