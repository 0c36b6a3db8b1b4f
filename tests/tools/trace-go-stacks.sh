#!/bin/bash
# timeout: 300
# alone: every instruction of a program has a probe, and 48 of 2109 stacks were wrong beside other tests
source "$(dirname "$0")/../lib.sh"

# Stacks of Go programs are those that Go's runtime walks itself, at each instruction: as they are, loaded anywhere, stripped.
source "$(dirname "$0")/go.bash"
source "$(dirname "$0")/go-stacks.bash"
build_go "$T/frames" frames.go -gcflags=-l
expect_stacks_of_go "$T/frames"
strip -o "$T/stripped" "$T/frames"
expect_stacks_of_go "$T/stripped" "$T/frames"
build_go "$T/pie" frames.go -gcflags=-l -buildmode=pie
expect_stacks_of_go "$T/pie"
