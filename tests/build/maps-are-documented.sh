#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# The tables of kernel state in ARCHITECTURE.md list every map of the programs, and no other map.
# NAME_events and NAME_lost stand for the ring buffer and the losses of any tool.
declared=$(cat bpf/*.[ch] bpf/*/*.[ch] | grep -oE '\} *\w+ +SEC\("\.maps"\)' | grep -oE '\w+' |
	grep -vx -e SEC -e maps | sort -u)
[ "$(wc -l <<<"$declared")" -gt 80 ] || fail "only $(wc -l <<<"$declared") maps were found in bpf/"
documented=$(sed -n '/^## State in the kernel/,/^## Terms/p' docs/ARCHITECTURE.md | grep '^| `' |
	cut -d'|' -f2 | grep -oE '`[a-z_A-Z]+`' | tr -d '`' | sort -u)

while read -r map; do
	grep -qx -e "$map" -e "${map/#*_/NAME_}" <<<"$documented" ||
		fail "docs/ARCHITECTURE.md lacks the map $map: add it to a table of \"State in the kernel\""
done <<<"$declared"
while read -r map; do
	grep -qx "${map/#NAME_/.*_}" <<<"$declared" ||
		fail "docs/ARCHITECTURE.md lists the map $map, which no program has"
done <<<"$documented"
