#!/bin/bash
# shares: redis http
source "$(dirname "$0")/../../lib.sh"

# --live of tools that show events: digests and summaries grow on the screen, and are printed whole
# at the end. ustat has the screen without the option.
need_command python3 redis-cli
start_redis
mkdir "$T/files"
start_target_and_wait python3 -uc 'import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_port)
server.serve_forever()' "$T/files"
PYTHONPATH=$ROOT/tests/tools python3 - "$BIN" "$redis_pid" "$redis_socket" "$target_pid" "$(<"$target_out")" <<'END'
import re, subprocess, sys, urllib.error, urllib.request
from terminal import Terminal

tools, redis, socket, server, port = sys.argv[1:]


def start(tool, *options):
    terminal = Terminal([f"{tools}/{tool}", *options])
    terminal.wait_for("^Tracing .*\n q quit", on_screen=True)
    return terminal


def end(terminal, table):
    terminal.type("q")
    assert terminal.end() == 0
    assert not terminal.is_alternate and terminal.modes() == terminal.modes_before
    assert re.search(table, terminal.text(), re.M), terminal.text()


def ask_redis(*words):
    subprocess.run(["redis-cli", "-s", socket, *words], stdout=subprocess.DEVNULL, check=True)


terminal = start("rediscommands", "-p", redis, "--digest", "--live", "--sort", "count", "--top", "2")
for command in ["get a", "get b", "get c", "set a 1", "set b 2", "del a"]:
    ask_redis(*command.split())
terminal.wait_for(r"^ +COUNT .*\n +3 .* get\n +2 .* set$")
assert "del" not in terminal.text(), terminal.text()
for command in ["get d"] + 4 * ["del b"]:
    ask_redis(*command.split())
table = r"^ +COUNT .*\n +5 .* del\n +4 .* get$"
terminal.wait_for(table)
end(terminal, table)

terminal = start("httpsnoop", "-S", "--live", "-s", "-p", server)
for path in ["/", "/", "/", "/none/1", "/none/2"]:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}{path}").read()
    except urllib.error.HTTPError:
        pass
terminal.wait_for(r"^ +COUNT +ERRORS .*\n +3 +0 .*:\d+/\n +2 +0 .*/none/\*$")
for column in ["ERRORS", "P50", "P99", "URL"]:
    terminal.type("s")
    terminal.wait_for(rf"s sort \({column}\)")
end(terminal, r"^ +COUNT +ERRORS ")

terminal = start("ustat", "-l", "tcl", "-i", "0.2")
terminal.wait_for(r"loadavg.*\nPID +CMDLINE")
end(terminal, r"loadavg.*\nPID +CMDLINE")
END

for words in 'httpsnoop --live' 'gohttp -p 1 --live' 'rediscommands --live'; do
	# shellcheck disable=SC2086
	run "$BIN"/$words
	expect_status 2
	expect_line ': --live needs --(summary|digest)' "$tool_err"
done
run "$BIN/ustat" --live -C
expect_status 2
expect_line '^ustat: --live and --noclear exclude each other$' "$tool_err"
