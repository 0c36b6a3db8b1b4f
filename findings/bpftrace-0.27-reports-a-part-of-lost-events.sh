#!/bin/bash
# When a printf() of bpftrace finds the ring buffer full, the event is lost. bpftrace 0.23 reports all of them ("Lost 297
# events", several times): lines and lost events add up to the calls that a count() in the same probe counts. bpftrace
# 0.27.1 reports the losses until it last looked, and not those after that, also not when it ends: with a reader of its
# output that is slow, half of the loss or all of it is missing. So output with few lost events, or none, is not complete.
#
# Here the reader waits, as a slow terminal or a pager does, while a program calls read() 300,000 times.
#
# Result with 0.23.2: 300,000 calls, 2,583 lines, 297,417 lost. With 0.27.1: 300,000 calls, 18,344 lines, 90,967 lost, and
# 190,689 of which nothing is said; another run: 18,424 lines, 153,894 lost.
#
# Needs root.
set -euo pipefail

[ "${own_mounts-}" ] || exec env own_mounts=1 unshare --mount --propagation private -- "$0"
folder=$(mktemp -d)
trap 'kill "${bpftrace-}" 2>/dev/null; umount -R "$folder"/*/tree/* 2>/dev/null; rm -rf --one-file-system "$folder"' EXIT
cd "$folder"
archive=$(apt-get --print-uris update 2>/dev/null | sed -nE "s,^'([^']*)/dists/[a-z]+/InRelease'.*,\1,p" | head -n 1)
library=$(ldconfig -p | sed -n 's/.*libc\.so\.6 (libc6,x86-64).* => //p' | head -n 1)

fetch() { # SUITE VERSION: unpacks bpftrace with what it needs in SUITE/tree
	local state=$folder/$1
	mkdir -p "$state"/{cache/archives/partial,lists/partial,tree/usr/{bin,sbin,lib,lib64}}
	printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' \
		"$archive" "$1" >"$state/list.sources"
	touch "$state/status"
	mkdir "$state/preferences.d"
	apt() {
		apt-get -qq -o Dir::Etc="$state" -o Dir::Etc::sourcelist=list.sources -o Dir::Etc::sourceparts=- -o Dir::Etc::parts=- \
			-o Dir::State="$state" -o Dir::State::status="$state/status" -o Dir::Cache="$state/cache" \
			-o APT::Sandbox::User=root -o Acquire::Languages=none "$@" >/dev/null
	}
	apt update
	apt --yes --no-install-recommends --download-only install "bpftrace=$2"
	for link in bin sbin lib lib64; do
		ln -s "usr/$link" "$state/tree/$link"
	done
	for package in "$state"/cache/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$state/tree"
	done
	mkdir -p "$state/tree"/{proc,sys,dev,tmp}
	mount -t proc proc "$state/tree/proc"
	mount --rbind /sys "$state/tree/sys"
	mount --rbind /dev "$state/tree/dev"
	[ -e "$state/tree/sys/kernel/tracing/events" ] || mount -t tracefs nodev "$state/tree/sys/kernel/tracing"
	touch "$state/tree/tmp/libc" # the library that the traced program uses
	mount --bind "$library" "$state/tree/tmp/libc"
}

run() { # SUITE: writes what bpftrace prints to SUITE/out
	local tree=$folder/$1/tree reader status=0
	mkfifo "$1/pipe"
	chroot "$tree" /usr/bin/bpftrace -e 'BEGIN { printf("ready\n") } uprobe:/tmp/libc:read /comm == "dd"/ {
		@calls = count(); printf("read() by process %d: \"%s\"\n", pid, str(arg1)) }' >"$1/pipe" 2>&1 &
	bpftrace=$!
	exec {reader}<"$1/pipe"
	while read -r line <&"$reader" && [ "$line" != ready ]; do :; done
	dd if=/dev/zero of=/dev/null bs=1 count=300000 status=none
	(
		while grep -q . /proc/$bpftrace/stat && sleep 2; do kill -INT $bpftrace || exit 0; done 2>/dev/null
	) &
	cat <&"$reader" >"$1/out"
	wait "$bpftrace" || status=$?
	wait
	exec {reader}<&-
	calls=$(sed -n 's/^@calls: //p' "$1/out") lines=$(grep -ac 'by process' "$1/out")
	lost=$(awk '/^Lost / { n += $2 } END { print n + 0 }' "$1/out")
	unsaid=$((calls - lines - lost))
	echo "$(chroot "$tree" /usr/bin/bpftrace --version), status $status: $calls calls, $lines lines, $lost lost, $unsaid unsaid"
	[ "$status" -eq 0 ] && [ "$calls" -ge 300000 ] && [ "$lines" -lt 100000 ]
}

fetch trixie '0.23.2-*'
fetch sid 0.27.1-1
run trixie
[ "$unsaid" -eq 0 ]
run sid
[ "$unsaid" -gt 1000 ]
echo 'so it is: bpftrace 0.27.1 does not report all events that it loses'
