#!/bin/bash
# alone: the tool has to read names soon after each sample
source "$(dirname "$0")/../../lib.sh"

# A Ruby program under load, in several threads: in each stack, every method is called by one that
# does call it, at a line where it does so.
need_ruby
cat >"$T/load.rb" <<'PROGRAM'
def leaf(n)
  sum = 0
  i = 0
  while i < n
    sum += i % 7
    i += 1
  end
  sum + Process.ppid
end

def ordered(n)
  (1..n).sort_by { |x|
    leaf(20)
  }
end

def deep(n)
  n == 0 ? ordered(40) : deep(n - 1)
end

def made(n)
  eval("def temporary(n)\n  [n].map { |x| leaf(x) }\nend\ntemporary(n)")
end

def run
  loop do
    20.times { |n|
      deep(n)
    }
    made(20)
    Fiber.new { deep(3) }.resume
  end
end
threads = [Thread.new { run }]
puts 'ready'
$stdout.flush
run
PROGRAM
start_target_and_wait "${ruby_program[@]}" "$T/load.rb"

# Prints Ruby's frames of folded stacks. On a busy machine, code made for a call of eval may be
# freed before its name is read.
chains() { # FILE
	sed -E 's/ [0-9]+$//' "$1" | awk -F ';' '{
		chain = ""
		for (i = 1; i <= NF; i++)
			if ($i ~ / \((load\.rb|\(eval\)|<internal:[a-z]+>)(:[0-9]+)?\)$/ || $i ~ /^\[too late/)
				chain = chain $i ";"
		if (chain)
			print chain
	}' | at_a_call
}
# Sets the line of the newest method to that of a call in it: a method that returns is on its last
# line, and one that has just started has no line.
at_a_call() {
	sed -E -e 's/(^|;)leaf \(load.rb\);$/\1leaf (load.rb:1);/' -e 's/(block in ordered) \(load.rb(:14)?\);$/\1 (load.rb:13);/' \
		-e 's/(^|;)ordered \(load.rb(:15)?\);$/\1ordered (load.rb:12);/' -e 's/(deep) \(load.rb(:19)?\);$/\1 (load.rb:18);/' \
		-e 's/(made) \(load.rb(:23)?\);$/\1 (load.rb:22);/' -e 's/(^|;)run \(load.rb(:33)?\);$/\1run (load.rb:26);/' \
		-e 's/(;block in run) \(load.rb(:32)?\);$/\1 (load.rb:31);/' -e 's/^(block \(2 levels\) in run) \(load.rb\);$/\1 (load.rb:31);/' \
		-e 's/(levels\) in run) \(load.rb(:29)?\);$/\1 (load.rb:28);/' \
		-e 's/(temporary|made) \(\(eval\)(:3)?\);$/\1 ((eval):2);/'
}
expect_possible() { # FILE LEAST; at least LEAST different stacks
	chains "$1" >"$T/chains"
	[ "$(sort -u "$T/chains" | wc -l)" -ge "$2" ] || {
		head -n 20 "$1" >&2
		fail "less than $2 stacks"
	}
	local at='\(load\.rb' in_eval='\(\(eval\)' late='\[too late to read its name\]' root leaf sort deep times made
	root="(<main> $at:37\)|block in <main> $at:34\));"
	leaf="(leaf $at:[1-9]\);)?"
	sort="(ordered $at:12\);(block in ordered $at:13\);$leaf)?)?"
	deep="(deep $at:18\);)*$sort"
	times="block in run $at:27\);(block \(2 levels\) in run $at:28\);$deep)?"
	made="block in run $at:30\);(made $at:22\);((made $in_eval:[1-4]\)|$late);((temporary $in_eval:2\)|$late);((block in temporary $in_eval:2\)|$late);$leaf)?)?)?)?"
	if grep -vE "^($root(run $at:26\);($times|$made|block in run $at:31\);)?)?|block \(2 levels\) in run $at:31\);$deep)\$" "$T/chains" >"$T/wrong"; then
		sort "$T/wrong" | uniq -c | sort -rn | head -n 20 >&2
		fail 'impossible stacks'
	fi
}

cpu_ms() { awk '{ print ($14 + $15) * 10 }' "/proc/$target_pid/stat"; }
run_tool profile -F 999 -f -U -p "$target_pid"
wait_for "[ \"\$(cpu_ms)\" -ge $(($(cpu_ms) + 1500)) ]" 60 # 1500 samples, however busy the machine is
stop_tool INT
expect_status 0
expect_possible "$tool_out" 20

run_tool stackcount -f -p "$target_pid" -D 1 c:getppid
stop_tool
expect_status 0
expect_possible "$tool_out" 10
expect_line ';deep \(load.rb:18\);.*;ordered \(load.rb:12\);sort_by \(internal\);.*;leaf \(load.rb:8\);ppid \(internal\)' "$tool_out"
expect_no_line ';leaf \(load.rb:[0-79]\);ppid' "$tool_out"

# A thread that waits for another one, or in a system call, still has its methods.
run_tool offcputime -f -U -p "$target_pid" 1
stop_tool
expect_status 0
expect_possible "$tool_out" 3
expect_line '<main> \(load.rb:37\)' "$tool_out"
expect_line 'block in <main> \(load.rb:34\)' "$tool_out"
stop_target
