#!/bin/bash
# timeout: 300
source "$(dirname "$0")/../../lib.sh"

# The examples in section 7 of the manual show what the tools print. An example is an .EX block:
#
#     // COMMAND FILE      the rest is the source FILE, which COMMAND compiles
#     $ COMMAND            in bold, also its other lines; the rest is what it prints. The tools that count
#                          run until Ctrl-C, meanwhile ./shop runs once.
#
# Process ids, times and addresses differ from run to run. Standard error is compared if nothing else is
# printed.
need_command g++
export PATH=$BIN:$PATH
cd "$T" || exit

plain() {
	sed -E 's/\\f[BIPR]//g; s/\\\(aq/'\''/g; s/\\\(ha/^/g; s/\\\(ti/~/g; s/\\\(ga/`/g; s/\\-/-/g; s/\\&//g; s/\\e/\\/g'
}
without_varying() {
	sed -E 's/^[0-9]+ +[0-9]+ +/PID TID /; s/0x[0-9a-f]{4,}/ADDRESS/g; s/^\[[0-9:]{8}\]$/TIME/; s/[ \t]+/ /g; s/ \(on Linux 6.19 and newer, else stepped\)//' |
		grep -v '^$' || true
}
why_not() { # COMMAND
	case $1 in
	*"'vfs_"*) [ -e /sys/bus/event_source/devices/kprobe ] || echo 'the kernel has no kprobes' ;;
	*./work*) [ -x work ] || echo 'go is not installed' ;;
	esac
}

compile() { # COMMAND SOURCE
	printf '%s\n' "$2" >"${1##* }"
	[ "${1%% *}" != go ] || command -v go >/dev/null || return 0
	bash -c "$1" || fail "does not compile: $1"
}
check() { # COMMAND OUTPUT
	local reason
	reason=$(why_not "$1")
	[ -z "$reason" ] || {
		echo "left out, $reason: $1"
		return 0
	}
	case ${1%% *} in
	argdist | funccount | stackcount)
		eval "run_tool $1"
		./shop
		stop_tool INT
		;;
	*) run bash -c "$1" ;;
	esac
	grep -q . "$tool_out" || cp "$tool_err" "$tool_out"
	examples=$((examples + 1))
	[ "$(without_varying <"$tool_out")" = "$(without_varying <<<"$2")" ] ||
		fail "$(printf '%s\nprints\n%s\nnot\n%s' "$1" "$(cat "$tool_out" "$tool_err")" "$2")"
}

for page in "$ROOT"/man/uscope-probes.7 "$ROOT"/man/uscope.7; do
	examples=0 block=() command='' inside=''
	while IFS= read -r line; do
		case $inside$line in
		.EX) inside=yes block=() command='' ;;
		yes.EE)
			inside=''
			if [ -n "$command" ]; then
				check "$command" "$(printf '%s\n' "${block[@]}")"
			elif [[ ${block[0]} = '// '* ]]; then
				compile "${block[0]#// }" "$(printf '%s\n' "${block[@]}")"
			else
				fail "${page##*/}: this example has neither a command nor a source: ${block[0]}"
			fi
			;;
		'yes$ \fB'* | 'yes\fB'*) command+=${command:+$'\n'}$(plain <<<"${line#$ }") ;;
		yes*) block+=("$(plain <<<"$line")") ;;
		esac
	done <"$page"
	[ "$examples" -gt 0 ] || fail "${page##*/} has no examples"
	echo "${page##*/}: $examples examples"
done
