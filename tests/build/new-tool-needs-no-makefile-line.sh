#!/bin/bash
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# A tool is its two files. The library is taken as it was built.
cp -rs "$ROOT"/{Makefile,VERSION,bench,bpf,common,tests,tools,vmlinux} "$T"
built=$(realpath "$BUILD")
mkdir -p "$T/build/obj/common/run"
cp "$built/libuscope.a" "$T/build/"
cp "$built/obj/common/run/main.o" "$T/build/obj/common/run/"

cat >"$T/bpf/hello.bpf.c" <<'BPF'
#include "lib/bpf.h"

int hello_answer = 42;

SEC("uprobe")
int hello(void *ctx)
{
	return ctx ? hello_answer : 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
BPF
cat >"$T/tools/hello.cpp" <<'CPP'
#include "hello.skel.h"
#include "run/tool.h"

uscope::Result<> tool_main(uscope::run::Tool &tool)
{
    hello_bpf *skeleton = hello_bpf__open();
    if (!skeleton)
        return uscope::fail_errno("opening the skeleton");
    fmt::format_to(std::back_inserter(tool.out().buffer()), "{}\n", skeleton->data->hello_answer);
    hello_bpf__destroy(skeleton);
    return {};
}
CPP
make -C "$T" BUILD=build -o build/libuscope.a -o build/obj/common/run/main.o build/bin/hello
run "$T/build/bin/hello"
expect_status 0
expect_line '^42$' "$tool_out"
