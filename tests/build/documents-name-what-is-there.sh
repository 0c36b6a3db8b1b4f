#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# The files and folders that the documents name are there; NAME, ROOM, X and ARCH stand for any.
for document in *.md docs/*.md; do
	while read -r path; do
		pattern=${path//NAME/*} pattern=${pattern//ROOM/*} pattern=${pattern//ARCH/*} pattern=${pattern//what/*}
		compgen -G "${pattern//X/*}" >/dev/null || fail "$document names $path, which is not there"
	done < <(grep -oE '`(bench|bpf|common|docs|man|mk|packaging|scripts|tests|tools|vmlinux)/[^` ]*`' "$document" |
		tr -d '`' | grep -v -e cpucalls -e fsyncs -e lang/mini | sort -u)
done
