#!/bin/bash
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/stacks.bash"

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
	trace_stacks c:getppid -- "$@" "$T/threads.rb"
	expect_count 7 '^[0-9]' "$tool_out"
	expect_no_line 'cut' "$tool_out"
	# The stacks start where the C library starts a thread.
	expect_equal "$(awk '/^$/ && before ~ / \[libc\.so\.6\]$|^ *libc\.so\.6:?\+0x/ { n++ } { before = $0 } END { print n }' "$tool_out")" 7
	# Ruby's own view of each stack.
	source_frames_of "$tool_out" ' [(]threads[.]rb:[0-9]+[)]' >"$T/frames"
	# Ruby gives C methods the lines of their callers; trace gives them no lines.
	grep -F ' (threads.rb:' "$target_out" | sed -E 's/(^| < )(sort_by|each) \([^)]*\)//g' >"$T/wanted"
	expect_equal "$(cat "$T/frames")" "$(cat "$T/wanted")"
}
need_ruby
expect_whole_stacks "${ruby_program[@]}"
debian_root trixie ruby3.3 php8.4-cli
expect_whole_stacks "${in_root[@]}" ruby3.3
