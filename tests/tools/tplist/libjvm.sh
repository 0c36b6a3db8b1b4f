#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# All probes of OpenJDK's JVM. They are in a section that is not loaded and has no program header.
# privileges: none
jvm=$(compgen -G '/usr/lib/jvm/java-*-openjdk-*/lib/server/libjvm.so' | sort -V | head -n 1)
[ -n "$jvm" ] || skip 'OpenJDK is not installed'
run "$BIN/tplist" -l "$jvm"
expect_status 0
expect_equal "$(sort -u "$tool_out" | wc -l)" "$(readelf -n "$jvm" 2>/dev/null |
	awk '/Provider:/ { p = $2 } /Name:/ { print p ":" $2 }' | sort -u | wc -l)"
run "$BIN/tplist" -l "$jvm" --json
expect_equal "$(grep -o '"raw_args"' "$tool_out" | wc -l)" "$(readelf -n "$jvm" 2>/dev/null | grep -c 'Name:')"
expect_line '"provider":"hotspot","name":"class__loaded"' "$tool_out"
