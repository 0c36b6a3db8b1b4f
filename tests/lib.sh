# shellcheck shell=bash disable=SC2034 # the tests use the variables set here
#
# Helpers for the test scripts: source "$(dirname "$0")/../../lib.sh" (tests/tools/NAME/what.sh) or
# "$(dirname "$0")/../lib.sh" (tests/build, tests/measured).
#
# Each file tests one behaviour. A test passes if it ends with status 0, skips with `skip REASON`,
# and fails with any other status; the first command that fails ends it (set -e). Its first lines
# may say how it runs:
#     # ring: first         `make test` runs it; without this line only `make test-all` does
#     # alone: REASON       no other test runs at the same time
#     # shares: NAME…       not at the same time as another test that shares a NAME
#     # timeout: SECONDS    instead of 120; doubled while other tests run
#     # privileges: none    also runs without root
#     # run: when named     only when its name is given
# Other tests run at the same time, so a test must not touch processes that it did not start. A
# probe on a system file (c:malloc) also sees calls of other tests; one on a file in $T or $TARGETS
# does not.
#
# $BIN      the tools              $T       a folder for this test alone, removed at its end
# $TARGETS  the small programs     $ROOT    the source tree
#           (tests/run makes a copy for each test)
#
# When the test ends, the process groups of everything that the helpers started are killed.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${BUILD:-build} # as make knows it
BIN=$(cd "$ROOT" && realpath -m "$BUILD/bin")
TARGETS=${USCOPE_TARGETS:-$(cd "$ROOT" && realpath -m "$BUILD/targets")}
T=$(mktemp -d "${TMPDIR:-/tmp}/uscope.XXXXXX")
chmod 755 "$T" # a server that runs as another user passes through it
export LC_ALL=C.UTF-8

# Runs a command when the test ends, however it ends; the last command registered runs first.
at_exit() { end_commands_=("$*" "${end_commands_[@]}"); }

end_commands_=()
groups_=()
at_exit_() {
	local status=$?
	trap - EXIT
	set +e
	for command in "${end_commands_[@]}"; do
		eval "$command"
	done
	for group in "${groups_[@]}"; do
		kill -CONT -- "-$group" 2>/dev/null
		kill -KILL -- "-$group" 2>/dev/null
	done
	wait 2>/dev/null
	if [ "$status" -eq 0 ] && ! json_is_documented_; then
		status=1
	fi
	rm -rf "$T"
	exit "$status"
}
trap at_exit_ EXIT

# Waits until the process has breakpoints (its code differs from that in its files) and the tool
# has finished placing them: it is in epoll_wait() or epoll_pwait() (22 on arm64) again.
wait_for_probes() { # PID [TOOL'S PID]
	wait_for "'$ROOT/tests/breakpoints' $1 >/dev/null && grep -qE '^(232|281|22) ' /proc/${2:-$tool_pid}/syscall" 20
}

# Checks the JSON that tools have written against docs/json.md.
tool_outs_=() # name, output, name, output ...
json_is_documented_() {
	[ ${#tool_outs_[@]} -gt 0 ] && grep -qs '^{"' "$T"/tool*.out || return 0
	"$ROOT/tests/json-keys" "${tool_outs_[@]}" >&2
}
trap 'exit 143' TERM INT HUP

# Ends the test as failed; the message names the line of the test.
fail() { # WHY
	echo "FAIL ${0##*tests/}:${BASH_LINENO[-2]}: $*" >&2
	exit 1
}

# Ends the test as skipped.
skip() { # REASON
	echo "$*"
	exit 77
}

# Skips the test unless all commands are installed.
need_command() { # NAME…
	local name
	for name in "$@"; do
		command -v "$name" >/dev/null || skip "$name is not installed"
	done
}

# Polls every 20 ms until the shell condition holds.
wait_for() { # CONDITION SECONDS
	local end=$((${EPOCHREALTIME//[.,]/} + ${2} * 1000000))
	until eval "$1"; do
		[ "${EPOCHREALTIME//[.,]/}" -lt "$end" ] || fail "still false after $2 s: $1"
		sleep 0.02
	done
}

# True while the process runs; a zombie has ended. Does not use $(<FILE): if the process is reaped
# between open and read, set -e then ends the shell without a message.
alive() { # PID
	local stat=''
	read -r -d '' stat <"/proc/$1/stat" || [ -n "$stat" ] && [[ $stat != *") Z "* ]]
} 2>/dev/null

# Starts CMD in its own process group; sets `pid`. Resets SIGINT and SIGQUIT to their defaults, as
# under a terminal: a shell without job control lets background commands ignore them.
start_() { # OUT ERR CMD…
	local out=$1 err=$2
	shift 2
	: >"$err"
	setsid env --default-signal=INT,QUIT "$@" <"${stdin:-/dev/null}" >"$out" 2>>"$err" &
	pid=$!
	groups_+=("$pid")
}

# True once the child runs CMD (or has ended). Until then it is this shell, setsid or env.
has_executed_() { # PID
	local line
	[ -e "/proc/$1" ] || return 0
	line=$(tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline")
	[[ $line != *--default-signal=INT* && $line != "$(tr '\0' ' ' <"/proc/$$/cmdline")" ]]
}

# --- the traced program --------------------------------------------------------------------------

# Starts a program to trace; sets target_pid, target_out and target_err (files). For input:
# `stdin=FILE start_target …`.
targets_started=0
start_target() { # CMD…
	targets_started=$((targets_started + 1))
	target_out=$T/target$targets_started.out target_err=$T/target$targets_started.err
	start_ "$target_out" "$target_err" "$@"
	target_pid=$pid
	wait_for "has_executed_ $pid" 10
}

# Starts a program to trace and waits until it prints something.
start_target_and_wait() { # CMD…
	start_target "$@"
	wait_for "[ -s '$target_out' ] || ! alive $target_pid" 60
	[ -s "$target_out" ] || fail "$1 ended early: $(cat "$target_err")"
}

stop_target() { # [SIGNAL]
	kill "-${1:-TERM}" "$target_pid"
	wait "$target_pid" || true
}

# Runs a single Java source file and waits for its first line; sets java_pid, java_out. JVM options
# come before SOURCE.
start_java() { # [-OPTION…] SOURCE ARG…
	need_command java
	start_target_and_wait java "$@"
	java_pid=$target_pid java_out=$target_out
}

# --- the tool under test -------------------------------------------------------------------------

# Starts $BIN/NAME and waits until everything is attached; sets tool_pid, tool_out, tool_err
# (files). The tool then writes "ready" to the file descriptor in USCOPE_READY_FD, and closes it.
# What it remembers of programs is in $T/cache.
tools_started=0
tool_limit=60 # seconds for it to attach, and to end
run_tool() { # NAME ARG…
	local name=$1 ready
	shift
	tools_started=$((tools_started + 1))
	tool_name=$name tool_out=$T/tool$tools_started.out tool_err=$T/tool$tools_started.err
	tool_outs_+=("$name" "$tool_out")
	ready=$T/tool$tools_started.ready
	: >"$ready"
	USCOPE_READY_FD=9 XDG_CACHE_HOME=$T/cache start_ "$tool_out" "$tool_err" "$BIN/$name" "$@" 9>"$ready"
	tool_pid=$pid
	wait_for "[ -s '$ready' ] || ! alive $tool_pid" "$tool_limit"
	[ -s "$ready" ] || fail "$name ended before it was ready: $(cat "$tool_err")"
}

# Moves the line "Tracing … Press Ctrl-C to end." of a tool that has ended from tool_err to the file
# tool_announced, so that the rest can be compared.
move_announced_() {
	local line='^Tracing .* … Press Ctrl-C to end\.$'
	tool_announced=${tool_err%.err}.announced
	grep -a "$line" "$tool_err" >>"$tool_announced" || return 0
	grep -av "$line" "$tool_err" >"$tool_err.rest" || true
	cat "$tool_err.rest" >"$tool_err"
}

# Sends the tool SIGNAL, or none, and waits until it ends; sets tool_status, tool_announced.
stop_tool() { # [SIGNAL]
	[ $# -eq 0 ] || settle_
	[ $# -eq 0 ] || kill "-$1" "$tool_pid" 2>/dev/null || true
	wait_for "! alive $tool_pid" "$tool_limit"
	tool_status=0
	wait "$tool_pid" || tool_status=$?
	move_announced_
}

# Prints the memory of the tool's BPF maps in bytes. Per-CPU maps and LRUs allocate all of it at
# once. Ignores errors: only other files than maps are closed meanwhile.
kernel_bytes() {
	{ cat /proc/"$tool_pid"/fdinfo/* 2>/dev/null || true; } | awk '$1 == "memlock:" { sum += $2 } END { print sum }'
}

# Fails if the maps have grown by more than 2 % and 100 kB since. Waits up to 20 s, because the
# kernel frees memory late.
expect_flat() { # BYTES-BEFORE
	wait_for "is_flat $1" 20
}
is_flat() { [ "$(kernel_bytes)" -le $(($1 + $1 / 50 + 100000)) ]; } # BYTES-BEFORE

# Runs a command to its end; sets tool_status, tool_out, tool_err, tool_announced.
run() { # CMD…
	tools_started=$((tools_started + 1))
	tool_name=${1##*/} tool_out=$T/tool$tools_started.out tool_err=$T/tool$tools_started.err
	[[ $1 != "$BIN"/* ]] || tool_outs_+=("$tool_name" "$tool_out")
	tool_status=0
	"$@" <"${stdin:-/dev/null}" >"$tool_out" 2>"$tool_err" || tool_status=$?
	move_announced_
}

# --- expectations --------------------------------------------------------------------------------
# Each fails the test, and shows the output, if it is not met.

show_() { # FILE
	echo "--- ${1##*/}:"
	head -n 60 "$1"
} >&2

expect_status() { # STATUS
	[ "$tool_status" -eq "$1" ] || {
		show_ "$tool_out"
		show_ "$tool_err"
		fail "$tool_name ended with status $tool_status, not $1"
	}
}

# Runs a tool that ends with STATUS, prints nothing on standard output, and one line on standard
# error: "TOOL: " and a message that begins like REGEX.
expect_refusal() { # STATUS REGEX TOOL ARG…
	run "$BIN/$3" "${@:4}"
	expect_status "$1"
	expect_no_line . "$tool_out"
	expect_count 1 '' "$tool_err"
	expect_line "^$3: $2" "$tool_err"
}

expect_line() { # REGEX FILE
	grep -qE -- "$1" "$2" || {
		show_ "$2"
		fail "no line matches $1"
	}
}

expect_no_line() { # REGEX FILE
	if grep -qE -- "$1" "$2"; then
		show_ "$2"
		fail "a line matches $1: $(grep -m 1 -E -- "$1" "$2")"
	fi
}

expect_count() { # N REGEX FILE
	local count
	count=$(grep -cE -- "$2" "$3") || true
	[ "$count" -eq "$1" ] || {
		show_ "$3"
		fail "$count lines, not $1, match $2"
	}
}

expect_equal() { # ACTUAL WANTED
	[ "$1" = "$2" ] || {
		[ ! -f "${tool_out-}" ] || show_ "$tool_out"
		[ ! -f "${tool_err-}" ] || show_ "$tool_err"
		fail "$(printf 'got\n%s\nnot\n%s' "$1" "$2")"
	}
}

# --- programs of newer Debian suites: debian_root SUITE PACKAGE… ---------------------------------

source "$ROOT/tests/debian/root.bash"

# --- the installed PHP, Ruby and Python: need_php, need_ruby, need_python ------------------------

source "$ROOT/tests/programs.bash"

# --- servers: start_redis, start_mariadb, start_mysql, start_postgres ----------------------------

source "$ROOT/tests/servers/servers.bash"
