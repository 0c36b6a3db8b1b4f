# shellcheck shell=sh disable=SC2034 # what is set here is used by the cases
#
# Helpers for tests/kernels/cases/*.sh, which busybox's shell runs in a guest: . /kernels/lib.sh
#
# Each file tests one behaviour. It passes if it ends with status 0, skips with `skip REASON`, and fails
# with any other status; the first command that fails ends it (set -e). "# timeout: SECONDS" replaces the
# limit of 150 seconds.
#
# $T        a folder for this case alone
# /bin      the tools            /targets   the programs from tests/targets, with their libraries
#
# Guests are emulated: programs run ten to thirty times as long as on the machine itself.
set -eu

T=/tmp/${0##*/}
mkdir -p "$T"

fail() {
	echo "FAIL: $*"
	exit 1
}

skip() {
	echo "$*"
	exit 77
}

wait_for() { # CONDITION SECONDS
	tries=$(($2 * 20))
	until eval "$1"; do
		[ $((tries -= 1)) -gt 0 ] || fail "not within $2 s: $1"
		usleep 50000
	done
}

alive() { [ -e "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; } # PID

# Starts a program to trace and waits until it prints its first line; sets target_pid, target_out. It reads
# what is written to descriptor 8.
start_target() { # CMD…
	target_out=$T/target.out
	rm -f "$T/target.in"
	mkfifo "$T/target.in"
	exec 8<>"$T/target.in"
	: >"$target_out"
	"$@" <"$T/target.in" >"$target_out" 2>&1 &
	target_pid=$!
	wait_for "[ -s '$target_out' ] || ! alive $target_pid" 30
}

# Starts a tool and waits for at most `ready_seconds` until everything is attached: the verifier is slow on
# an emulated processor. Sets tool_pid, tool_out, tool_err.
ready_seconds=180
run_tool() { # NAME ARG…
	tool_name=$1 tool_out=$T/$1.out tool_err=$T/$1.err
	: >"$T/ready"
	USCOPE_READY_FD=9 "$@" >"$tool_out" 2>"$tool_err" 9>"$T/ready" &
	tool_pid=$!
	wait_for "[ -s '$T/ready' ] || ! alive $tool_pid" "$ready_seconds"
	[ -s "$T/ready" ] || fail "$1 ended before it was ready: $(cat "$tool_err")"
}

# Sends the tool SIGNAL, or none, and waits until it ends; its status must be 0.
stop_tool() { # [SIGNAL]
	[ $# -eq 0 ] || kill "-$1" "$tool_pid"
	tool_status=0
	wait "$tool_pid" || tool_status=$?
	expect_status 0
}

# Runs a tool to its end; sets tool_status, tool_out, tool_err.
run() { # NAME ARG…
	tool_name=$1 tool_out=$T/$1.out tool_err=$T/$1.err tool_status=0
	"$@" </dev/null >"$tool_out" 2>"$tool_err" || tool_status=$?
}

show() { # FILE
	echo "--- ${1##*/}:"
	head -n 40 "$1"
}

expect_status() { # STATUS
	[ "$tool_status" -eq "$1" ] || {
		show "$tool_out"
		show "$tool_err"
		fail "$tool_name ended with status $tool_status, not $1"
	}
}

expect_line() { # REGEX FILE
	grep -qE -- "$1" "$2" || {
		show "$2"
		fail "no line matches $1"
	}
}

expect_no_line() { # REGEX FILE
	! grep -qE -- "$1" "$2" || {
		show "$2"
		fail "a line matches $1"
	}
}

expect_count() { # N REGEX FILE
	count=$(grep -cE -- "$2" "$3") || true
	[ "$count" -eq "$1" ] || {
		show "$3"
		fail "$count lines, not $1, match $2"
	}
}

expect_equal() { # ACTUAL WANTED
	[ "$1" = "$2" ] || fail "got '$1', not '$2'"
}

# Runs the case again in a mount namespace where the kernel seems to have no type information.
without_btf() {
	[ ! -e /sys/kernel/btf/vmlinux ] || exec unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf && exec sh "$0"' "$0"
}
