# shellcheck shell=bash disable=SC2154 # runs, quick, results, work, bpftrace, bcc …: bench/peers
#
# Part of bench/peers: measures commands in turns, and writes their results.
#
#     use uscope funccount x; use floor …; use bpftrace SCRIPT; use bcc funccount-bpfcc x
#     compare -l LOAD
#     put cost.count load
#
# A line of $results: ROW, TOOL, the median, the least, the most, the command; separated by tabs.
# Where nothing could be measured, "-" instead of the median, and the reason instead of the command.

tools=() texts=() words=() begins=() load_text='' # words[begins[i]] is the first word of the i-th command
# What BCC's tools print when they are ready, if it is not "… Ctrl-C …".
declare -A bcc_ready=([trace-bpfcc]=PID [argdist-bpfcc]='[')

# The command as a person types it in the source tree: without the folders of this machine and
# without what only starts a peer in its root.
shown() { # WORD…
	local word text='' quote="'\\''"
	for word; do
		word=${word//"$BIN/"/} word=${word//"$bench/"/build/bench/} word=${word//"$work/"/}
		word=${word//"$here/"/bench/}
		word=$(tr -s '[:space:]' ' ' <<<"$word")
		word=${word# } word=${word% }
		[[ $word =~ ^[A-Za-z0-9_./:=,@%+-]+$ ]] || word="'${word//\'/$quote}'"
		text+="${text:+ }$word"
	done
	echo "$text"
}

use() { # TOOL COMMAND…
	local tool=$1
	shift
	case $tool in
	bpftrace)
		[ ${#bpftrace[@]} -gt 0 ] || return 0
		texts+=("$(shown bpftrace -e "$1")")
		set -- "${bpftrace[@]}" "$@"
		;;
	bcc)
		[ ${#bcc[@]} -gt 0 ] || return 0
		texts+=("$(shown "$@")")
		set -- "ready=${bcc_ready[$1]-Ctrl-C}" "${bcc[@]}" "/usr/sbin/$1" "${@:2}"
		;;
	uscope)
		texts+=("$(shown "${@#"$BIN/"}")")
		;;
	*) texts+=("$(shown "$@")") ;;
	esac
	[ ${#words[@]} -eq 0 ] || words+=(---)
	begins+=(${#words[@]})
	words+=("$@")
	tools+=("$tool")
}

# Drops the commands of the other tools; false if TOOL has none.
keep_only() { # TOOL
	local i next
	for ((i = 0; i < ${#tools[@]}; i++)); do
		[ "${tools[i]}" != "$1" ] || break
	done
	[ $i -lt ${#tools[@]} ] || { drop_all && return 1; }
	next=${begins[i + 1]-$((${#words[@]} + 1))}
	words=("${words[@]:begins[i]:next - begins[i] - 1}")
	tools=("$1") texts=("${texts[i]}") begins=(0)
}
drop_all() { tools=() texts=() words=() begins=(); }

once() { # COMMAND…: with a single run of each command
	local runs=1
	"$@"
}

# Runs all that was given to `use`. If measure fails, so do their rows.
compare() { # measure's options
	load_text=''
	local i
	for ((i = 1; i <= $#; i++)); do
		[ "${!i}" != -l ] || load_text=${*:i+1:1}
	done
	measured=$work/measured measured_tools=("${tools[@]}") measured_texts=("${texts[@]}")
	"$bench/measure" -m -s -r "$runs" "$@" "${words[@]}" >"$measured" 2>"$work/errors" || {
		tail -n 3 "$work/errors" >&2
		for i in "${tools[@]}"; do echo failed; done >"$measured"
	}
	drop_all
}

# Writes a number of the last comparison: FIELD is ready, end, rss, cpu, or load; it is divided by
# DIVISOR.
put() { # ROW FIELD [DIVISOR]
	local i
	for ((i = 0; i < ${#measured_tools[@]}; i++)); do
		sed -n "$((i + 1))p" "$measured" | awk -v OFS='\t' -v row="$1" -v tool="${measured_tools[i]}" -v field="$2" -v divisor="${3:-1}" '
			BEGIN {
				split("ready end rss cpu load", names); for (n in names) column[names[n]] = n
				split("6 8 0 0 10", firsts)
			}
			{ at = column[field]; first = firsts[at] }
			/failed/ { print row, tool, "-", "", ""; next }
			{ print row, tool, $at / divisor, first ? $first / divisor : "", first ? $(first + 1) / divisor : "" }' |
			tr -d '\n' >>"$results"
		printf '\t%s\n' "${measured_texts[i]}" >>"$results"
	done
	[ -z "$load_text" ] || printf '%s\tload\t-\t\t\t%s\n' "$1" "$(shown_load "$load_text")" >>"$results"
}
shown_load() { local text=${1//"$bench/"/build/bench/} && echo "${text//"$work/"/}"; }

# Writes one number, or the reason why there is none ("-").
put_number() { # ROW TOOL NUMBER [COMMAND-OR-REASON [LEAST MOST]]
	if [ -z "$3" ]; then
		set -- "$1" "$2" - 'could not be measured'
	fi
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "${5-}" "${6-}" "${4-}" >>"$results"
}
put_reason() { # TOOL REASON ROW…
	local row
	for row in "${@:3}"; do put_number "$row" "$1" - "$2"; done
}

# "MEDIAN LEAST MOST" of numbers.
spread_of() { printf '%s\n' "$@" | sort -n | awk '{ v[NR] = $1 } END { print v[int(NR / 2) + 1], v[1], v[NR] }'; }
