# shellcheck shell=bash
# Helpers for the tests of ustat.

# Prints the sum of KEY over all intervals for a process.
sum() { # PID KEY
	jq -s "map(select(.pid == $1) | .$2) | add" "$tool_out"
}

# Writes programs that do a known amount of work. They read a line before it and another one after.
write_programs() {
	cat >"$T/octi.rb" <<'RB'
class Octi
  def fest = 1
end
octi = Octi.new
GC.disable
TracePoint.new(:call) {}.enable
puts "ready"
$stdout.flush
$stdin.gets
1000.times { octi.fest }
500.times { Octi.new }
7.times do
  raise ArgumentError
rescue ArgumentError
end
puts "done"
$stdout.flush
$stdin.gets
RB
	cat >"$T/octi.php" <<'PHP'
<?php
function fest() { return 1; }
echo "ready\n";
fgets(STDIN);
for ($i = 0; $i < 1000; $i++) fest();
for ($i = 0; $i < 7; $i++) try { throw new Exception("x"); } catch (Exception $e) { }
echo "done\n";
fgets(STDIN);
PHP
	cat >"$T/octi.py" <<'PY'
import gc
gc.disable()
print("ready", flush=True)
input()
for i in range(9):
    gc.collect()
print("done", flush=True)
input()
PY
	cat >"$T/Octi.java" <<'JAVA'
public class Octi {
    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        System.in.read();
        for (int i = 0; i < 3; i++) System.gc();
        for (int i = 0; i < 5; i++) { Thread thread = new Thread(() -> {}); thread.start(); thread.join(); }
        System.out.println("done");
        System.in.read();
    }
}
JAVA
}

# Starts one of these programs with its own pipe as standard input.
start_program() { # NAME CMD…; sets target_pid, target_out
	mkfifo "$T/$1.lines"
	exec {lines}<>"$T/$1.lines"
	stdin=$T/$1.lines start_target_and_wait "${@:2}"
}
proceed() { echo >"$T/$1.lines"; }  # NAME

has_row() { grep -q "\"pid\":$1,.*\"command\":\"[^\"]" "$tool_out"; } # PID
