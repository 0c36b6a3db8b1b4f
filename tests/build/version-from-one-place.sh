#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# The version is that of VERSION wherever users and packages see it.
version=$(cat VERSION)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "VERSION is not MAJOR.MINOR.PATCH: $version"
for command in --version 'trace --version'; do
	# shellcheck disable=SC2086 # words
	run "$BIN/uscope" $command
	expect_line " ${version//./\\.}\$" "$tool_out"
done
scripts/install-man man/trace.1 "$T/trace.1" '' '' trace
expect_line "^\.TH TRACE 1 [0-9-]+ \"uscope ${version//./\\.}\" " "$T/trace.1"

# The newest section of the list of changes is of versions to come, or of this one.
heading=$(grep -m 1 '^## ' CHANGELOG.md)
[[ $heading = '## [Unreleased]' || $heading =~ ^'## ['"$version"'] - '[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] || fail "CHANGELOG.md: $heading"
# Files that repeat it. Those of other systems: tests/build/packages-parse.sh.
expect_equal "$(sed -nE '1s/^uscope \(([^-]*)-[0-9]+\) .*/\1/p' packaging/debian/changelog)" "$version"
