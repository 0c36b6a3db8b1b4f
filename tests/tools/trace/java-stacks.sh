#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/java-stacks.bash"

# Stacks of a Java program have the names of its methods: interpreted ones, and those that either
# compiler has compiled, with inlined ones.
need_command java
write_java_stacks
java_stacks 0 java -Xint
expect_no_line '\(inlined\)' "$tool_out"
java_stacks 300 java
java_stacks 3000 java -Xbatch -XX:TieredStopAtLevel=1
expect_line ' \(inlined\)$' "$tool_out"
java_stacks 20000 java -Xbatch -XX:-TieredCompilation
expect_line ' \(inlined\)$' "$tool_out"
java_stacks 0 java -Xcomp
