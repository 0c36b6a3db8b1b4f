#!/bin/bash
# timeout: 300
# alone: every instruction of a program has a probe, and with other tests, 48 of 2109 stacks were
# wrong
source "$(dirname "$0")/../../lib.sh"

# Stacks of Go programs equal those of Go's runtime, at each instruction: in the program as built,
# position-independent, and stripped.
source "$(dirname "$0")/../go.bash"
source "$(dirname "$0")/go-stacks.bash"
build_go "$T/frames" frames.go -gcflags=-l
expect_stacks_of_go "$T/frames"
strip -o "$T/stripped" "$T/frames"
expect_stacks_of_go "$T/stripped" "$T/frames"
build_go "$T/pie" frames.go -gcflags=-l -buildmode=pie
expect_stacks_of_go "$T/pie"
