#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# Each installed name has a completion in each shell, also with a prefix and a suffix, and for the
# names of tools with options.
make -s install DESTDIR="$T" PREFIX= NAME_PREFIX=x NAME_SUFFIX=-y
export PATH=$T/bin:$PATH
in_bash() { # LINE PART
	COMP_LINE=$1 COMP_POINT=${#1}
	_uscope "${1%% *}" "$2" ''
	[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s|' "${COMPREPLY[@]}"
}
for program in "$T"/bin/*; do
	name=${program##*/}
	# shellcheck source=/dev/null
	source "$T/share/bash-completion/completions/$name"
	expect_equal "$(complete -p "$name")" "complete -o nospace -F _uscope $name"
	expect_equal "$(in_bash "$name --hel" --hel)" '--help |'
	expect_line "^#compdef( .*)? $name( |\$)" "$T/share/zsh/site-functions/_uscope"
	expect_line "^for name in( .*)? $name( |\$)" "$T/share/fish/vendor_completions.d/$name.fish"
done
expect_equal "$(in_bash 'uscope ugc --vers' --vers)" '--version |'

# The program prints the same scripts: it finds the names in its folder.
for file in bash-completion/completions/uscope zsh/site-functions/_uscope fish/vendor_completions.d/uscope.fish; do
	shell=${file%%-*} && shell=${shell%%/*}
	expect_equal "$("$T/bin/uscope" completion "$shell" | tr -s ' \n' '\n' | sort)" "$(tr -s ' \n' '\n' <"$T/share/$file" | sort)"
done

make -s install DESTDIR="$T/debian" PREFIX=/usr ZSH_COMPLETIONS=/usr/share/zsh/vendor-completions
[ -s "$T/debian/usr/share/zsh/vendor-completions/_uscope" ]

if command -v fish >/dev/null; then
	expect_equal "$(HOME=$T XDG_CONFIG_HOME=$T/config XDG_DATA_DIRS=$T/share fish -c 'complete -C "xjavacalls-y --hel"' | cut -f 1)" --help
fi
