#!/bin/bash
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

make -s install DESTDIR="$T/dest" PREFIX=/opt/u NAME_PREFIX=u NAME_SUFFIX=-x
for source in tools/*.cpp; do
	tool=$(basename "$source" .cpp)
	run "$T/dest/opt/u/bin/u$tool-x" --version
	expect_status 0
	expect_line "$(cat VERSION)" "$tool_out"
	[ ! -e "man/$tool.1" ] || [ -s "$T/dest/opt/u/share/man/man1/u$tool-x.1" ]
	[ -s "$T/dest/opt/u/share/bash-completion/completions/u$tool-x" ]
done
expect_equal "$(ls "$T/dest" "$T/dest/opt" "$T/dest/opt/u" | tr '\n' ' ')" \
	"$(printf '%s\n' "$T/dest:" opt '' "$T/dest/opt:" u '' "$T/dest/opt/u:" bin share | tr '\n' ' ')"
