#!/bin/bash
# timeout: 900
source "$(dirname "$0")/../lib.sh"
source "$ROOT/tests/build/manual.bash"

# HACKING.md, "Adding a tool", followed word for word in a copy of the tree. The Makefile is as it was; what is built is not built again.
copy_tree_and_build
make() { command make BUILD=build -o build/libuscope.a -o build/obj/common/run/main.o "$@"; }
cd "$T"
follow_section 'Adding a tool'

expect_equal "${files[*]}" \
	"bpf/cpucalls.bpf.c tools/cpucalls.cpp docs/json.md tests/tools/cpucalls/counts.sh man/cpucalls.1 \
bpf/fsyncs.h bpf/fsyncs.bpf.c tools/fsyncs.cpp tests/tools/fsyncs/counts.sh"
expect_equal "$steps" 3
expect_same_options build/bin/cpucalls man/cpucalls.1
expect_sections_in_order man/cpucalls.1
expect_name_for_apropos man/cpucalls.1
[ ! -x "$(command -v mandoc)" ] || expect_equal "$(mandoc -T lint man/cpucalls.1)" ''
if [[ $(clang-format --version) = *'version 14.'* ]]; then
	clang-format --dry-run -Werror {bpf,tools}/{cpucalls,fsyncs}.*
fi
