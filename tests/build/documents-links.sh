#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# The links of all documents lead to files, also where the documents are installed.
scripts/lint-links ./*.md docs/*.md packaging/*.md || fail 'there are links to files that do not exist'
make -s install DESTDIR="$T" PREFIX=/usr
scripts/lint-links "$T"/usr/share/doc/uscope/README.md "$T"/usr/share/doc/uscope/docs/*.md ||
	fail 'there are links to files that are not installed'

echo '[a](b.md#c), [d](https://example.org), [e](document.md)' >"$T/document.md"
run scripts/lint-links "$T/document.md"
expect_status 1
expect_equal "$(cat "$tool_out")" "$T/document.md: b.md#c does not exist"
