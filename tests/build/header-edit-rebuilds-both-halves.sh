#!/bin/bash
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# If a header that both halves of a tool include changes, make compiles the kernel side and the user side.
headers=(bpf/*.h)
[ -e "${headers[0]}" ] || fail 'there is no header in bpf'
for header in "${headers[@]}" bpf/lib/abi.h; do
	make -n V=1 -W "$header" all >"$T/commands"
	expect_line '^clang .*-target bpf .* -c bpf/.*\.bpf\.c' "$T/commands"
	expect_line ' -c [^ ]*tools/[^ ]*\.cpp' "$T/commands"
done
