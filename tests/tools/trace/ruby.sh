#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Ruby's probes are in its library, which the process maps. The probes of methods fire while the
# program has a TracePoint enabled.
need_ruby
cat >"$T/greet.rb" <<'RB'
class Octi
  def greet(name) = name.size
end
TracePoint.new(:call, :return) {}.enable
puts "ready"
$stdout.flush
loop { Octi.new.greet("fest"); sleep 0.02 }
RB
start_target_and_wait "${ruby_program[@]}" "$T/greet.rb"
run_tool trace -M 2 -p "$target_pid" 'u::ruby:method__entry "%s.%s" arg1, arg2'
stop_tool
expect_status 0
expect_count 2 'method__entry +Octi\.greet$' "$tool_out"
