# shellcheck shell=bash disable=SC2154,SC2034 # tool, folder: harm.bash
#
# Real programs under their own workload, with probes on 100 random functions of them (HARM_FUNCTIONS).
source "${BASH_SOURCE[0]%/*}/harm.bash"

ways=(entries returns latencies)
[ -z "${HARM_WAYS-}" ] || read -ra ways <<<"$HARM_WAYS"
seed=${HARM_SEED:-$RANDOM}
echo "HARM_SEED=$seed runs this again"

# The names of a file's functions, as the linker knows them, each once; those that begin with what is called most in a
# program are no more likely than others.
functions_of() { # FILE
	{
		nm -D --defined-only "$1" 2>/dev/null || true
		nm --defined-only "$1" 2>/dev/null || true
	} | awk '$2 ~ /^[TtWi]$/ && $3 !~ /[.@]/ { print $3 } $2 ~ /^[TtWi]$/ && $3 ~ /@/ { sub(/@.*/, "", $3); print $3 }' | sort -u
}

# The same ones for the same seed and list.
chosen_of() { # FILE
	functions_of "$1" | shuf -n "${HARM_FUNCTIONS:-100}" --random-source=<(yes "$seed" 2>/dev/null) | sort
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
		entries) tool+=("p:$file:$name \"%lx\", arg1") ;;
		returns) tool+=("r:$file:$name \"%lx\", retval") ;;
		*) tool+=("$file:$name") ;;
		esac
	done
}

# Functions that a tool refuses by themselves, saying so, are left out; a tool that refuses all for one is a harm.
harmless_random() { # LABEL FILE CMD…
	local label=$1 file=$2 way folder=$T/runs tool names
	shift 2
	mapfile -t names < <(chosen_of "$file")
	[ "${#names[@]}" -gt 0 ] || fail "$file has no functions"
	untraced "$folder/untraced" "$@"
	untraced "$folder/again" "$@"
	same_run "$label: untraced" "$folder/untraced" "$folder/again" || return 0
	for way in "${ways[@]}"; do
		tool_of_chosen "$way" "$file" "${names[@]}"
		runs=$((runs + 1))
		rm -rf "$folder/$way"
		traced "$folder/$way" "$label, $way of ${#names[@]}" "$@" || continue
		same_run "$label, $way of ${#names[@]}" "$folder/untraced" "$folder/$way" || continue
		echo "same $label, $way of ${#names[@]}: $(wc -l <"$folder/$way/tool.out") lines of it"
	done
	rm -rf "$folder"
}

# A server: what `workload` (a function) prints of it is compared, and that it still runs.
harmless_random_server() { # LABEL FILE PID [OPTION…]
	local label=$1 file=$2 server=$3 way folder=$T/runs tool names status=0
	shift 3
	mapfile -t names < <(chosen_of "$file")
	for way in untraced again "${ways[@]}"; do
		rm -rf "${folder:?}/$way"
		mkdir -p "$folder/$way"
		if [[ $way != untraced && $way != again ]]; then
			tool_of_chosen "$way" "$file" "${names[@]}"
			runs=$((runs + 1))
			if ! attach_tool "$folder/$way" "${tool[0]}" -p "$server" "$@" "${tool[@]:1}"; then
				harm "$label, $way of ${#names[@]}: not traced: $(why_not "$folder/$way")"
				end_of "$tracer" 60
				continue
			fi
		fi
		status=0
		workload >"$folder/$way/out" 2>"$folder/$way/err" || status=$?
		echo "$status" >"$folder/$way/status"
		if ! alive "$server"; then
			harm "$label, $way: the server has ended"
			return
		fi
		[[ $way != untraced ]] || continue
		if [ "$way" != again ]; then
			kill -INT "$tracer" 2>/dev/null || true
			end_of "$tracer" 60
		fi
		! same_run "$label, $way of ${#names[@]}" "$folder/untraced" "$folder/$way" || echo "same $label, $way"
	done
	rm -rf "$folder"
}
