#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# --live on a terminal: the screen is refreshed in place and has keys; however the tool ends or
# stops, the terminal is as it was before. Elsewhere, the output is as without the option.
need_command gcc python3
cat >"$T/rates.c" <<'END'
#include <unistd.h>
__attribute__((noipa)) void b_often(void) {}
__attribute__((noipa)) void a_seldom(void) {}
int main(void)
{
	for (;;) {
		for (int i = 0; i < 10; i++)
			b_often();
		a_seldom();
		usleep(5000);
	}
}
END
gcc -O1 -g "$T/rates.c" -o "$T/rates"
start_target "$T/rates"
live=("$BIN/funccount" --live -p "$target_pid" "$T/rates:[ab]_*")

PYTHONPATH=$ROOT/tests/tools python3 - "${live[@]}" <<'END'
import re, signal, sys, time
from terminal import Terminal

command = sys.argv[1:]
table = r"^FUNC +COUNT\n"
by_count = table + r"b_often +\d+\na_seldom +\d+$"
by_name = table + r"a_seldom +\d+\nb_often +\d+$"


def is_as_before(terminal):
    assert terminal.modes() == terminal.modes_before, (terminal.modes(), terminal.modes_before)
    assert "\x1b[?7h" in terminal.written and "\x1b[?25h" in terminal.written


def count(terminal):
    return int(re.search(r"b_often +(\d+)", terminal.text())[1])


# The keys.
terminal = Terminal(command)
terminal.wait_for(by_count, on_screen=True)
terminal.wait_for(r"^Tracing 2 functions .*\n q quit  s sort \(COUNT\)  p pause$")
assert terminal.modes() != terminal.modes_before
first = count(terminal)
terminal.wait_for(rf"b_often +(?!{first}$)\d+$")
assert count(terminal) > first, "without -i, counts are those since the start"
terminal.type("s")
terminal.wait_for(by_name)
terminal.wait_for(r"s sort \(FUNC\)")
terminal.type("s")
terminal.wait_for(by_count)
terminal.type("p")
terminal.wait_for("PAUSED")
paused = count(terminal)
end = time.monotonic() + 2.5
try:
    while True:
        terminal.read(end, "nothing")
except AssertionError:
    assert count(terminal) == paused, "it is not paused"
terminal.type("s")
terminal.wait_for(by_name)
terminal.resize(4, 80)
terminal.wait_for(r"PAUSED .*  1 more line")
terminal.resize(24, 80)
terminal.wait_for(by_name)
terminal.type("\x1b[A\x1b[15~\x1bOPp")  # arrow and function keys mean nothing
terminal.wait_for(rf"b_often +(?!{paused}$)\d+$")
terminal.type("q")
assert terminal.end() == 0
text = terminal.text()
assert re.search(r"^Tracing 2 functions", text, re.M), text
assert re.search(r"a_seldom +\d+\nb_often +\d+$", text), text

# With -i, the counts of each interval. With -n, the last one remains.
terminal = Terminal(command[:1] + ["-i", "0.3", "-n", "3", "--top", "1"] + command[1:])
assert terminal.end() == 0
assert re.search(table + r"b_often +\d+\s*\Z", terminal.text(), re.M), terminal.text()

# However it ends.
for number, status in [(signal.SIGINT, 0), (signal.SIGTERM, 0), (signal.SIGHUP, 0),
                       (signal.SIGSEGV, -signal.SIGSEGV)]:
    terminal = Terminal(command)
    terminal.wait_for(by_count, on_screen=True)
    terminal.kill(number)
    terminal.wait_for("", on_screen=False)
    is_as_before(terminal)
    assert terminal.end() == status, number

# A shell stops and continues it.
folder = command[-1].rsplit("/", 1)[0]
shell = Terminal(["bash", "--norc", "-i"], columns=200,
                 environment={"PS1": "> ", "HISTFILE": "", "T": folder})
shell.wait_for(r"^>$")
shell.type("stty -g >$T/before\n")
shell.type(" ".join(f"'{word}'" for word in command) + "\n")
shell.wait_for(by_count, on_screen=True)
shell.type("\x1a")
shell.wait_for(r"Stopped", on_screen=False)
shell.type("stty -g | diff - $T/before && echo is_equal\n")
shell.wait_for(r"^is_equal$", on_screen=False)
shell.type("fg\n")
shell.wait_for(by_count, on_screen=True)
shell.type("s")
shell.wait_for(by_name, on_screen=True)
shell.type("q")
shell.wait_for(r"^b_often +\d+\n>$", on_screen=False)
shell.type("stty -g | diff - $T/before && echo is_the_same\n")
shell.wait_for(r"^is_the_same$")
shell.type("exit\n")
assert shell.end() == 0

# A terminal that has no screen.
terminal = Terminal(command[:1] + ["-d", "0.5"] + command[1:], environment={"TERM": "dumb"})
assert terminal.end() == 0
assert "\x1b" not in terminal.written, terminal.written
assert re.search("--live has no effect", terminal.text()), terminal.text()
END

run "${live[@]}" -d 0.5
expect_status 0
expect_no_line $'\x1b' "$tool_out"
expect_count 1 '^b_often +[0-9]+$' "$tool_out"
expect_line '^funccount: --live has no effect: standard output is not a terminal' "$tool_err"
run "${live[@]}" -d 0.5 -q
expect_no_line . "$tool_err"
for other in --json --csv "-o$T/rows"; do
	run "${live[@]}" "$other"
	expect_status 2
	expect_line '^funccount: --live and --[a-z]+ exclude each other' "$tool_err"
done
