# shellcheck shell=bash
# Helpers for the tests of uflow: programs that wait for a line before they call anything.

# Starts CMD. It prints a line when it is ready, reads a line, makes the calls to trace, and reads
# another line before it ends.
start_waiting() { # CMD…
	mkfifo "$T/lines"
	exec 7<>"$T/lines"
	stdin=$T/lines start_target_and_wait "$@"
}
proceed() { echo >&7; }

# A class for which the tests know all calls.
write_ruby() {
	cat >"$T/octi.rb" <<'RB'
class Octi
  def fail_at(n) = n == 0 ? raise("x") : fail_at(n - 1)
  def other = 1
  def run
    begin
      fail_at(2)
    rescue
      0
    end
    other
  end
end
TracePoint.new(:call, :return) {}.enable
puts "ready"
$stdout.flush
$stdin.gets
ARGV[0].to_i.times { Octi.new.run }
puts "done"
$stdout.flush
$stdin.gets
RB
}

write_php() {
	cat >"$T/octi.php" <<'PHP'
<?php
class Octi {
    function fest(int $n): int { return $n; }
    function run(int $n): int { $sum = 0; for ($i = 0; $i < $n; $i++) $sum += $this->fest($i); return $sum; }
}
function plain() { return (new Octi)->run(3); }
echo "ready\n";
fgets(STDIN);
for ($i = 0; $i < (int)$argv[1]; $i++) plain();
echo "done\n";
fgets(STDIN);
PHP
}

wait_done() { wait_for "grep -q done '$target_out'" 60; }

# Prints the METHOD column, without durations.
tree() { grep -E '^[0-9]' "$tool_out" | cut -c35- | sed -E 's, \([0-9.]+[num]?s\)$,,'; }

# Runs the Python program tests/targets/scripts/flow.py, which enters and leaves functions in every
# way. Checks that uflow shows all returns, with the right depths.
flow_python() { # CMD…
	cp "$ROOT/tests/targets/scripts/flow.py" "$T"
	start_waiting "$@" "$T/flow.py"
	run_tool uflow --json "$target_pid"
	proceed
	wait_done
	stop_tool INT
	expect_status 0
	expect_line 'no probe reports calls|its probe for calls also reports other events' "$tool_err"
	expect_line '; tracing the interpreter instead, where it begins a function' "$tool_err"
	local events
	events() { jq -r "select(.event) | select($1) | \"\\(.event) \\(.depth) \\(.method)\"" "$tool_out" | sed 's, [^ ]*/, ,'; }
	expect_equal "$(events true | grep -v '^\(entry\|return\) ')" ''
	expect_equal "$(events '.event == "return"' | cut -d ' ' -f 2- | sort)" \
		"$(events '.event == "entry"' | cut -d ' ' -f 2- | sort)"
	expect_equal "$(events '.event == "entry"' | grep ' flow.py.mark$' | sort | uniq -c | tr -s ' ')" \
		' 11 entry 1 flow.py.mark'
	events=$(events '.method | test("flow.py.(throws|passes_through|fails)$")' | sed -n '1,4p')
	expect_equal "$events" "entry 1 flow.py.passes_through
entry 2 flow.py.fails
return 2 flow.py.fails
return 1 flow.py.passes_through"
	expect_equal "$(events 'true' | grep -c 'entry . flow\.py\..*leaf')" 100
}
