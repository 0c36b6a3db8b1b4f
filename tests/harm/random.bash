# shellcheck shell=bash disable=SC2154,SC2034 # tool, folder: harm.bash
#
# Real programs under their own workload, with probes on 100 random functions of them (HARM_FUNCTIONS).
source "${BASH_SOURCE[0]%/*}/harm.bash"

ways=(entries returns latencies)
[ -z "${HARM_WAYS-}" ] || read -ra ways <<<"$HARM_WAYS"
values=yes # empty: the functions only take floating-point values
seed=${HARM_SEED:-$RANDOM}
echo "HARM_SEED=$seed runs this again"

# Prints "MANGLED NAME" of a file's functions from its symbol table, without functions that have no
# code of their own, and without names of several functions, which tools refuse.
functions_of() { # FILE
	readelf --wide --syms --dyn-syms "$1" |
		awk '$4 == "FUNC" && $7 != "UND" { sub(/@.*/, "", $8); print $8, $2 }' | grep -v '[.]' | sort -u |
		awk '{ places[$1]++ } END { for (name in places) if (places[name] == 1) print name }' | sort >"$T/mangled"
	c++filt <"$T/mangled" | paste -d ' ' "$T/mangled" -
}

# Prints random functions; those that funccount saw come first, because the workload calls few
# functions of a large program. The same seed gives the same functions.
chosen_of() { # FILE [COUNTED, what funccount printed]
	local random wanted=${HARM_FUNCTIONS:-100}
	random() { shuf --random-source=<(yes "$seed" 2>/dev/null); }
	functions_of "$1" >"$T/functions"
	sed -nE 's/ +[0-9]+$//p' "${2:-/dev/null}" | sort -u >"$T/called"
	{
		awk 'NR == FNR { called[$0]; next } { mangled = $1; sub(/^[^ ]* /, "") } $0 in called { print mangled }' \
			"$T/called" "$T/functions" | random | head -n "$wanted"
		cut -d ' ' -f 1 "$T/functions" | random | head -n "$wanted"
	} | awk -v wanted="$wanted" 'NR <= wanted && !seen[$0]++'
}

tool_of_chosen() { # WAY FILE NAME…; sets tool
	local way=$1 file=$2 name
	shift 2
	case $way in
	entries) tool=(trace) ;;
	returns) tool=(trace) ;;
	latencies) tool=(funclatency) ;;
	counts) tool=(funccount) ;;
	stacks) tool=(stackcount) ;;
	*) fail "there is no way $way for random functions" ;;
	esac
	for name in "$@"; do
		case $way in
		entries) tool+=("p:$file:$name${values:+ \"%lx\", arg1}") ;;
		returns) tool+=("r:$file:$name${values:+ \"%lx\", retval}") ;;
		*) tool+=("$file:$name") ;;
		esac
	done
}

# If a tool cannot trace a function that is given by name, it names that function and traces none.
# Sets names to the others.
leave_out_refused() { # FOLDER
	local name kept=()
	for name in "${names[@]}"; do
		grep -qE "(^|[: ])$name(\+0x0)?([ :.]|$)" "$1/tool.err" || kept+=("$name")
	done
	[ "${#kept[@]}" -lt "${#names[@]}" ] || return 1
	names=("${kept[@]}")
}

harmless_random() { # LABEL FILE CMD…
	local label=$1 file=$2 way folder=$T/runs tool names try before
	shift 2
	untraced "$folder/untraced" "$@"
	untraced "$folder/again" "$@"
	is_comparable "$label" || return 0
	: >"$T/counted"
	tool=(funccount "$file:*")
	runs=$((runs + 1))
	if traced "$folder/all" "$label, counts of all" "$@"; then
		! same_run "$label, counts of all" "$folder/untraced" "$folder/all" || echo "same $label, counts of all"
		mv "$folder/all/tool.out" "$T/counted"
	fi
	mapfile -t names < <(chosen_of "$file" "$T/counted")
	[ "${#names[@]}" -gt 0 ] || fail "$file has no functions"
	for way in "${ways[@]}"; do
		runs=$((runs + 1)) before=$harms
		for try in {1..40}; do
			harms=$before
			tool_of_chosen "$way" "$file" "${names[@]}"
			rm -rf "${folder:?}/$way"
			if traced "$folder/$way" '' "$@" >"$folder/problem"; then
				break
			fi
			leave_out_refused "$folder/$way" || break
		done
		sed "s/^HARM :/HARM $label, $way of ${#names[@]}:/" "$folder/problem"
		[ "$harms" -eq "$before" ] || continue
		same_run "$label, $way of ${#names[@]}" "$folder/untraced" "$folder/$way" || continue
		echo "same $label, $way of ${#names[@]}: $(wc -l <"$folder/$way/tool.out") lines of it"
	done
	rm -rf "$folder"
}

# Compares what the function `workload` prints about a server, and checks that the server still runs.
harmless_random_server() { # LABEL FILE PID [OPTION…]
	local label=$1 file=$2 server=$3 way folder=$T/runs tool names=() status try
	shift 3
	: >"$T/counted"
	for way in untraced again all "${ways[@]}"; do
		for try in {1..40}; do
			rm -rf "${folder:?}/$way"
			mkdir -p "$folder/$way"
			case $way in
			untraced | again) break ;;
			all) tool=(funccount "$file:*") ;;
			*) tool_of_chosen "$way" "$file" "${names[@]}" ;;
			esac
			! attach_tool "$folder/$way" "${tool[0]}" -p "$server" "$@" "${tool[@]:1}" || break
			end_of "$tracer" "$attach_limit"
			leave_out_refused "$folder/$way" && [ "$way" != all ] || {
				harm "$label, $way of ${#names[@]}: not traced: $(why_not "$folder/$way")"
				continue 2
			}
		done
		runs=$((runs + 1))
		status=0
		workload >"$folder/$way/out" 2>"$folder/$way/err" || status=$?
		echo "$status" >"$folder/$way/status"
		if ! alive "$server"; then
			harm "$label, $way of ${#names[@]}: the server has ended"
			return
		fi
		if [[ $way != untraced && $way != again ]]; then
			kill -INT "$tracer" 2>/dev/null || true
			end_of "$tracer" "$attach_limit"
		fi
		[ "$way" = untraced ] || ! same_run "$label, $way of ${#names[@]}" "$folder/untraced" "$folder/$way" ||
			echo "same $label, $way of ${#names[@]}: $(cat "$folder/$way/tool.out" 2>/dev/null | wc -l) lines of it"
		if [ "$way" = all ]; then
			mapfile -t names < <(chosen_of "$file" "$folder/all/tool.out")
		fi
	done
	rm -rf "$folder"
}
