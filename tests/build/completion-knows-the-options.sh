#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

make -s install DESTDIR="$T" PREFIX=
for tool in "$T"/bin/*; do
	name=${tool##*/}
	# shellcheck source=/dev/null
	source "$T/share/bash-completion/completions/$name"
	"_uscope_$name" "$tool" --hel "$name"
	expect_equal "${COMPREPLY[*]}" --help
	"_uscope_$name" "$tool" "$$" -p
	[[ " ${COMPREPLY[*]} " = *" $$ "* ]] || fail "$name -p does not offer process $$: ${COMPREPLY[*]}"
done
