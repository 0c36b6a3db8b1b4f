#!/bin/bash
# privileges: none
source "$(dirname "$0")/../../lib.sh"

# The scripts for bash, zsh and fish complete what is typed, with the answers of `uscope complete`.
export PATH=$BIN:$PATH
plain=$TARGETS/calls:plain

# bash: calls the function as readline does. PART is what follows the last break: ' ', ':' or '='.
# shellcheck source=/dev/null
source <(uscope completion bash)
expect_equal "$(complete -p trace)" 'complete -o nospace -F _uscope trace'
in_bash() { # LINE PART
	COMP_LINE=$1 COMP_POINT=${#1}
	_uscope "${1%% *}" "$2" ''
	[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s|' "${COMPREPLY[@]}"
}
expect_equal "$(in_bash "trace ${plain%in}" "pla")" 'plain |'
expect_equal "$(in_bash "trace '${plain%in}" "${plain%in}")" "$plain|"
expect_equal "$(in_bash "$BIN/uscope trace --color=a" a)" 'auto |always |'
expect_equal "$(in_bash 'trace --color a' a)" 'auto |always |'
expect_equal "$(in_bash "trace $TARGETS/names_cpp:shapes::" '')" \
	"$(uscope complete trace "$TARGETS/names_cpp:shapes::" | cut -f 1 | sed "s,.*names_cpp:shapes::,,; s,[(){}<>*&],\\\\&,g; s, \(.\),\\\\ \1,g" | tr '\n' '|')"
expect_equal "$(in_bash 'trace c:no_such_function' no_such_function)" ''
expect_equal "$(in_bash 'uscope completion z' z)" 'zsh |'
for tool in "$BIN"/*; do
	tool=${tool##*/}
	expect_equal "$(in_bash "$tool --hel" --hel)" '--help |'
done

touch "$T/some-file"

# zsh: types into an interactive shell, whose Tab writes the line that it completes to a file.
in_zsh() { # LINE; sets `line`
	rm -f "$T/line"
	# shellcheck disable=SC2016 # for zsh
	env LINE="$1" T="$T" zsh -f -c '
		zmodload zsh/zpty
		zpty shell zsh -f -i
		zpty -w shell "PROMPT=; autoload -U compinit; compinit -u -D; source <(uscope completion zsh)"
		zpty -w shell "record() { zle complete-word; print -r - \$BUFFER >$T/new; mv $T/new $T/line; BUFFER= }"
		zpty -w shell "zle -N record; bindkey \"^I\" record; echo re\"\"ady"
		zpty -rm shell output "*ready*"
		zpty -n -w shell "$LINE"$'"'\\t'"'
		until [[ -e $T/line ]]; do zpty -rt shell output; sleep 0.1; done
		zpty -d shell' || fail "zsh failed for $1"
	line=$(cat "$T/line")
}
if command -v zsh >/dev/null; then
	in_zsh "trace ${plain%in}"
	expect_equal "$line" "trace $plain "
	in_zsh "trace --color=al"
	expect_equal "$line" 'trace --color=always '
	in_zsh "trace '${plain%in}"
	expect_equal "$line" "trace '$plain' "
	in_zsh "trace $TARGETS/names_cpp:sha"
	expect_equal "$line" "trace $TARGETS/names_cpp:shapes::"
	in_zsh "$BIN/uscope trace --output=$T/some-f"
	expect_equal "$line" "$BIN/uscope trace --output=$T/some-file "
	in_zsh 'trace c:no_such_function'
	expect_equal "$line" 'trace c:no_such_function'
fi

in_fish() { # LINE
	# shellcheck disable=SC2016 # for fish
	XDG_CONFIG_HOME=$T/fish HOME=$T fish --no-config -c 'uscope completion fish | source; complete -C $argv[1]' -- "$1"
}
if command -v fish >/dev/null; then
	expect_equal "$(in_fish "trace ${plain%in}")" "$plain"
	expect_equal "$(in_fish 'trace --dur')" $'--duration\tend after this time: 90, 500ms, 5m'
	expect_equal "$(in_fish 'trace --color=al')" '--color=always'
	expect_equal "$(in_fish "trace -o $T/some-f")" "$T/some-file"
	expect_equal "$(in_fish "trace --output=$T/some-f")" "--output=$T/some-file"
	expect_equal "$(in_fish 'trace c:no_such_function')" ''
	expect_equal "$(in_fish "$BIN/uscope uca" | cut -f 1)" ucalls
fi
need_command zsh fish # all that is here was tested
