# shellcheck shell=bash disable=SC2034
#
# The steps of every campaign: run a program untraced and traced, and compare its output and status.
#
#     source "$(dirname "$0")/harm.bash"
#     harmless contexts "$TARGETS/harm/contexts"
#     all_harmless
#
# Each of $ways traces a program on all functions of a file (by default its own). Each difference is
# printed as a line "HARM …"; the test fails only at its end, so that one run shows all of them.
#
# Environment: HARM_WAYS, instead of all ways; HARM_SEED, to choose the functions of an earlier run again;
# HARM_RETURNS (exit or probe), given to --force-return of the tools that have it.
source "${BASH_SOURCE[0]%/*}/../lib.sh"

ways='counts stacks entries returns latencies results'
read -ra ways <<<"${HARM_WAYS:-$ways}"
stopped=$TARGETS/harm/stopped
limit=${HARM_LIMIT:-300} # seconds for one traced run
# Seconds for a tool to attach, and to detach. The kernel takes one lock to place a probe and to fork
# a process: with several tools on a busy machine, each of thousands of sites waits for it.
attach_limit=300

# Sets `tool` to the tool of a way and its arguments, for all matching functions of a file. Each tool
# reads something in every call: an argument, the stack, the time, the result.
tool_of() { # WAY FILE [PATTERN]; sets tool
	local name=$2:${3:-*} at=()
	case $1 in
	returns | latencies | results | return-stacks) [ -z "${HARM_RETURNS-}" ] || at=(--force-return "$HARM_RETURNS") ;;
	esac
	case $1 in
	counts) tool=(funccount "$name") ;;
	stacks) tool=(stackcount "$name") ;;
	entries) tool=(trace "p:$name \"%lx %s\", arg1, str(arg2, 8)") ;;
	returns) tool=(trace "${at[@]}" "r:$name \"%lx\", retval") ;;
	latencies) tool=(funclatency "${at[@]}" "$name") ;;
	results) tool=(argdist "${at[@]}" -H "r:$name():u64:\$latency") ;;
	return-stacks) tool=(stackcount "${at[@]}" "r:$name") ;;
	*) fail "there is no way $1" ;;
	esac
}

harms=0 runs=0
harm() { # WHAT…
	harms=$((harms + 1))
	echo "HARM $*"
}

# A run is a folder with the output and the status. A program must not print numbers that differ
# between runs (process ids, addresses).
same_run() { # LABEL UNTRACED TRACED
	local was is
	was=$(<"$2/status") is=$(<"$3/status")
	if [ "$is" != "$was" ] && [ "$is" -eq 124 ]; then
		harm "$1: not done within $limit s"
	elif [ "$is" != "$was" ]; then
		harm "$1: ended with $is, untraced with $was: $(tail -n 1 "$3/err" | cut -c 1-160)"
	elif ! cmp -s "$2/out" "$3/out"; then
		harm "$1: printed different output: $(difference "$2/out" "$3/out")"
	elif ! cmp -s "$2/err" "$3/err"; then
		harm "$1: printed different errors: $(difference "$2/err" "$3/err")"
	else
		return 0
	fi
	return 1
}
difference() { diff -a "$1" "$2" | grep -a '^[<>]' | sed -n '1p;$p' | cut -c 1-120 | paste -sd' '; } # FILE FILE

# Waits for a child; the status is 124 if it does not end in time.
end_of() { # PID SECONDS; sets status
	local end=$((SECONDS + $2))
	while alive "$1"; do
		if [ "$SECONDS" -ge "$end" ]; then
			kill -KILL -- "-$1" 2>/dev/null || true
			status=124
			wait "$1" 2>/dev/null || true
			return
		fi
		sleep 0.02
	done
	status=0
	wait "$1" 2>/dev/null || status=$?
}

# False for a program that crashes untraced, or whose untraced runs differ.
is_comparable() { # LABEL, of $folder/untraced and $folder/again
	if [ "$(<"$folder/untraced/status")" -ge 124 ]; then
		harm "$1: ended with $(<"$folder/untraced/status") without tracing: $(tail -n 1 "$folder/untraced/err" | cut -c 1-160)"
		return 1
	fi
	same_run "$1: untraced" "$folder/untraced" "$folder/again"
}

untraced() { # FOLDER CMD…
	local folder=$1
	shift
	mkdir -p "$folder"
	start_ "$folder/out" "$folder/err" "$@"
	end_of "$pid" "$limit"
	echo "$status" >"$folder/status"
}

# Attaches a tool and waits until it is ready; sets tracer, its process. Status 1: it ended before.
attach_tool() { # FOLDER TOOL ARG…
	local folder=$1 name=$2 end=$((SECONDS + attach_limit))
	shift 2
	: >"$folder/ready"
	USCOPE_READY_FD=9 start_ "$folder/tool.out" "$folder/tool.err" "$BIN/$name" "$@" 9>"$folder/ready"
	tracer=$pid
	until [ -s "$folder/ready" ]; do
		alive "$tracer" && [ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.02
	done
}

# Prints why a tool was not ready: its last words.
why_not() { # FOLDER
	! alive "$tracer" || printf 'not attached within %s s; ' "$attach_limit"
	sed -n '/^Tracing /d; /./p' "$1/tool.err" | head -n 1 | cut -c 1-200
}

traced() { # FOLDER LABEL CMD…, by ${tool[@]}; status 1: could not be attached
	local folder=$1 label=$2 target
	shift 2
	mkdir -p "$folder"
	start_ "$folder/out" "$folder/err" "$stopped" "$@"
	target=$pid
	wait_for "[[ \$(</proc/$target/stat) = *') T '* ]]" 20
	if ! attach_tool "$folder" "${tool[0]}" -p "$target" "${tool[@]:1}"; then
		harm "$label: not traced: $(why_not "$folder")"
		kill -KILL "$target" "$tracer" 2>/dev/null
		wait "$target" 2>/dev/null || true
		return 1
	fi
	kill -CONT "$target"
	end_of "$target" "$limit"
	echo "$status" >"$folder/status"
	end_of "$tracer" "$attach_limit"
	[ "$status" -eq 0 ] || harm "$label: ${tool[0]} ended with $status: $(why_not "$folder")"
}

# Compares a program with itself under each of ${ways[@]}, on all functions of FILE that match.
harmless_on() { # LABEL FILE PATTERN CMD…
	local label=$1 file=$2 pattern=$3 way folder=$T/runs tool
	shift 3
	untraced "$folder/untraced" "$@"
	untraced "$folder/again" "$@"
	is_comparable "$label" || return 0
	for way in "${ways[@]}"; do
		tool_of "$way" "$file" "$pattern"
		runs=$((runs + 1))
		rm -rf "${folder:?}/$way"
		traced "$folder/$way" "$label, $way" "$@" || continue
		same_run "$label, $way" "$folder/untraced" "$folder/$way" || continue
		[ "$(wc -l <"$folder/$way/tool.out")" -gt 1 ] || harm "$label, $way: nothing was traced"
		echo "same $label, $way"
	done
	rm -rf "$folder"
}

harmless() { # LABEL CMD…
	harmless_on "$1" "$2" '*' "${@:2}"
}

# Attaches and detaches tools while the program runs, so that calls are under way each time.
harmless_while_tools_come_and_go() { # LABEL FILE CMD…
	local label=$1 file=$2 folder=$T/runs target way n=0 tool
	shift 2
	untraced "$folder/untraced" "$@"
	mkdir -p "$folder/traced"
	start_ "$folder/traced/out" "$folder/traced/err" "$@"
	target=$pid
	while alive "$target" && [ "$n" -lt "${HARM_COMINGS:-30}" ]; do
		way=${ways[n++ % ${#ways[@]}]}
		tool_of "$way" "$file"
		mkdir -p "$folder/tool"
		if ! attach_tool "$folder/tool" "${tool[0]}" -p "$target" "${tool[@]:1}"; then
			! alive "$target" || harm "$label, $way: not traced: $(why_not "$folder/tool")"
			continue
		fi
		runs=$((runs + 1))
		sleep "0.$((RANDOM % 4))"
		kill -INT "$tracer" 2>/dev/null || true # it ends with the program
		end_of "$tracer" "$attach_limit"
	done
	end_of "$target" "$limit"
	echo "$status" >"$folder/traced/status"
	! same_run "$label, tools come and go ($n)" "$folder/untraced" "$folder/traced" ||
		echo "same $label, $n tools came and went"
	rm -rf "$folder"
}

# The file of a library that a program is linked with: library_of PROGRAM libm
library_of() { ldd "$(realpath "$(command -v "$1")")" | sed -n "s,^[^/]*\(/[^ ]*/$2[^ ]*\).*,\1,p" | head -n 1; }
libc_of() { library_of "$1" libc.so; }

all_harmless() {
	echo "$runs runs, $harms harms"
	[ "$harms" -eq 0 ] || fail "$harms harms"
	[ "$runs" -gt 0 ] || fail 'nothing was run'
}
