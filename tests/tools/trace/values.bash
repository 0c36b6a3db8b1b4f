# shellcheck shell=bash disable=SC2154
#
# Checks tables of expression values. Source this file after lib.sh.
#
#     value 'arg1 + 1' %d 8             adds an expression, its conversion, and the expected value
#     check_values FILE:FUNC COMMAND…   checks all of them in the first event of one probe

value_exprs=() value_formats=() value_wanted=()
value() { # EXPRESSION FORMAT WANTED
	value_exprs+=("$1") value_formats+=("$2") value_wanted+=("$3")
}

check_values() { # WHERE COMMAND…
	local where=$1 format list i shown wrong=''
	shift
	printf -v format '|%s' "${value_formats[@]}"
	printf -v list ', %s' "${value_exprs[@]}"
	run timeout 20 "$BIN/trace" -Z 200 "$where \"$format|\"$list" --exec -- "$@"
	expect_status 0
	# "a|b|", which follow the columns of the first event
	IFS='|' read -r -a shown < <(grep -m 1 -F '|' "$tool_out" | cut -d '|' -f 2-)
	for i in "${!value_exprs[@]}"; do
		[ "${shown[i]-}" = "${value_wanted[i]}" ] ||
			wrong+="${value_formats[i]} of ${value_exprs[i]}: ${shown[i]-nothing}, not ${value_wanted[i]}"$'\n'
	done
	value_exprs=() value_formats=() value_wanted=()
	[ -z "$wrong" ] || fail "$wrong"
}
