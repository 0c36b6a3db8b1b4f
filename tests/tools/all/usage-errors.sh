#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../../lib.sh"

# Wrong usage that the tools refuse. tests/usage/TOOL has a row for each case, in shell words:
#
#     STATUS REGEX ARG…
#
# The tool must print nothing on standard output, and one line on standard error: "TOOL: " and text
# that matches REGEX. It must end with STATUS: 2 for wrong usage, 1 for missing things. With the
# STATUS "2^", one ARG of the row contains a ^, which marks a position and is removed; two more
# lines of the error must show this ARG, and a caret below that position. The rows of a file A,B
# apply to both tools.
#
# Rows may name the small programs as ./values, files that do not exist as $T/x, this process as $$,
# and a PID without a process as $free.
cd "$TARGETS" || exit
free=$(($(cat /proc/sys/kernel/pid_max) - 1))
[ ! -e "/proc/$free" ] || skip "a process with PID $free exists"

rows=0 wrong=0 row=()
mkdir "$T/written"
ends() { # STATUS TOOL ARG…; sets why
	local wanted=$1 status=0
	shift
	timeout 10 "$BIN/$1" "${@:2}" </dev/null >"$T/written/out" 2>"$T/written/err" || status=$?
	rows=$((rows + 1)) why=''
	[ "$status" -eq "$wanted" ] || why="status $status, not $wanted; "
}
judge() { # TOOL ARG…
	[ -n "$why" ] || return 0
	wrong=$((wrong + 1))
	printf '%s\n' "$* :" "${why%; }"
	sed 's/^/    /' "$T"/written/*
} >&2

refused() { # TOOL STATUS[^] REGEX ARG…
	local tool=$1 status=$2 regex=$3 args=("${@:4}") i before lines caret=() IFS=$'\n'
	if [[ $status = *^ ]]; then
		for i in "${!args[@]}"; do
			[[ ${args[i]} = *^* ]] || continue
			before=${args[i]%%^*} args[i]=${args[i]/^/}
			caret=("  ${args[i]}" "  ${before//?/ }^")
			break
		done
	fi
	ends "${status%^}" "$tool" "${args[@]}"
	[ ! -s "$T/written/out" ] || why+='it prints something; '
	mapfile -t lines <"$T/written/err"
	[[ ${lines[0]-} = "$tool: "* && ${lines[0]#"$tool: "} =~ $regex ]] || why+="it does not say '$regex'; "
	[ "${lines[*]:1}" = "${caret[*]}" ] || why+='there are other lines behind it; '
	IFS=' '
	judge "$tool" "${args[@]}"
}

for file in "$ROOT"/tests/usage/*; do
	IFS=, read -ra tools <<<"${file##*/}"
	while read -r line; do
		eval "row=($line)"
		for tool in "${tools[@]}"; do
			refused "$tool" "${row[@]}"
		done
	done <"$file"
done

# Errors that every tool must have.
unset COLUMNS
help_names() { sed -nE 's/^  (-[^ ]+).*/\1/p' | tr ',' '\n'; }
for tool in "$ROOT"/tools/*.cpp; do
	tool=${tool##*/} tool=${tool%.cpp}
	refused "$tool" 2 '--no-such-option.*--help' --no-such-option
	ends 0 "$tool" --version
	[[ $(<"$T/written/out") =~ ^"$tool "[0-9] ]] || why+='no version; '
	judge "$tool" --version
	if "$BIN/$tool" --help | grep -q -e '--cgroup-path'; then
		for option in --container --pod --unit; do
			refused "$tool" 2 "^$option: the value is empty" "$option" ''
		done
	fi
	ends 0 "$tool" --help
	[[ $(<"$T/written/out") = *$'\nExamples:\n'* ]] || why+='no examples; '
	wide=$(awk 'length > 80' "$T/written/out")
	[ -z "$wide" ] || why+="lines of more than 80 columns: $wide; "
	repeated=$(help_names <"$T/written/out" | sort | uniq -d)
	[ -z "$repeated" ] || why+="declared twice: $repeated; "
	judge "$tool" --help
done
for tool in killsnoop readlat httpsnoop mysqlqueries rediscommands profile offcputime ustat; do
	refused "$tool" 1 "^there is no container no$$; " --container "no$$"
done
[ "$wrong" -eq 0 ] || fail "$wrong of $rows rows are wrong"
expect_equal "$(ls "$T")" written # no tool has created a file
