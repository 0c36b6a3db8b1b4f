#!/bin/bash
# shares: packages
source "$(dirname "$0")/../../lib.sh"

# The stack of a Ruby thread is already complete at its first event, although Ruby allocates 1 MB of
# data of its own in the middle of that stack.
cat >"$T/threads.rb" <<'PROGRAM'
def called
  at = caller_locations(0).map { |l| "#{l.label} (#{File.basename(l.path)}:#{l.lineno})" }; Process.ppid
  puts at.join(' < ')
end
def recurse(n) = n == 0 ? called : recurse(n - 1)
$stdout.sync = true
puts 'ready'
$stdin.gets
Thread.new { recurse(5) }.join
Thread.new { [3, 1].sort_by { called } }.join
3.times { Thread.new { called }.join }
Thread.new { Thread.new { recurse(40) }.join }.join
puts 'done'
$stdin.gets
PROGRAM
expect_whole_stacks() { # RUBY…
	rm -f "$T/go"
	mkfifo "$T/go"
	exec {go}<>"$T/go"
	stdin=$T/go start_target_and_wait "$@" "$T/threads.rb"
	run_tool trace -U -p "$target_pid" c:getppid
	echo >&"$go"
	wait_for "grep -q '^done' '$target_out'" 30
	wait_for "[ \$(grep -c '^[0-9]' '$tool_out') -ge 7 ]" 20
	echo >&"$go"
	stop_tool
	expect_status 0
	expect_no_line 'cut' "$tool_out"
	# The stacks start where the C library starts a thread.
	expect_equal "$(awk '/^$/ && before ~ / \[libc\.so\.6\]$/ { n++ } { before = $0 } END { print n }' "$tool_out")" 7
	# Ruby's own view of each stack.
	awk '/^[0-9]/ { if (seen++) print stack; stack = "" }
		/ \(threads.rb:[0-9]+\)$/ && !/^[0-9]/ { sub(/^ +/, ""); stack = stack (stack ? " < " : "") $0 }
		END { print stack }' "$tool_out" >"$T/seen"
	# Ruby gives C methods the lines of their callers; trace gives them no lines.
	grep -F ' (threads.rb:' "$target_out" | sed -E 's/(^| < )(sort_by|each) \([^)]*\)//g' >"$T/wanted"
	expect_equal "$(cat "$T/seen")" "$(cat "$T/wanted")"
}
need_ruby
expect_whole_stacks "${ruby_program[@]}"
debian_root trixie ruby3.3 php8.4-cli
expect_whole_stacks "${in_root[@]}" ruby3.3
