# shellcheck shell=bash
#
# Debian's kernels, for tests/kernels/run: downloaded once and kept in $kernels.
#
# Two things about Debian's kernel packages: linux-image-cloud-amd64 only names the newest one of its suite; and
# since Linux 6.19 linux-image-VERSION is empty, and the image is in linux-binary-VERSION.

source "${BASH_SOURCE[0]%/*}/../debian/suites.bash"

declare -A suites=([5.10]=bullseye [6.1]=bookworm [6.12]=bookworm-backports [newest]=sid)
kernels=$cache/kernels

# The package that the suite's newest kernel image is in.
newest_package() { # SUITE
	local image binary
	image=$(suite_apt "$1" apt-cache show --no-all-versions linux-image-cloud-amd64 2>/dev/null |
		sed -n 's/^Depends: .*\(linux-image-[0-9][^ ,]*\).*/\1/p' | head -n 1)
	binary=${image/linux-image-/linux-binary-}
	if [ -n "$image" ] && suite_apt "$1" apt-cache show "$binary" >/dev/null 2>&1; then
		image=$binary
	fi
	echo "$image"
}

download() { # SUITE PACKAGE FILE; errors on standard output
	local folder
	folder=$(mktemp -d "$kernels/new.XXXXXX") || return 1
	(cd "$folder" && suite_apt "$1" apt-get download "$2" >log 2>&1 &&
		dpkg-deb --fsys-tarfile ./*.deb |
		tar -xO --wildcards './boot/vmlinuz-*' './usr/lib/modules/*/vmlinuz' >image 2>/dev/null)
	if [ ! -s "$folder/image" ]; then # tar wants both patterns to match: its status says nothing
		grep -m 1 '^E:' "$folder/log" || echo "no kernel image in $2"
		rm -rf "$folder"
		return 1
	fi
	mv "$folder/image" "$3"
	rm -rf "$folder"
}

# Makes $kernels/NAME.vmlinuz; nothing to do when it is there, unless a newer one is asked for. Errors: one line on
# standard output.
fetch_kernel() { # NAME [newer]
	local name=$1 file=$kernels/$1.vmlinuz suite=${suites[$1]} package
	[ ! -s "$file" ] || [ $# -gt 1 ] || return 0
	update_suite "$suite" || return
	package=$(newest_package "$suite")
	if [ -z "$package" ]; then
		echo "$suite has no kernel"
		return 1
	fi
	[ ! -s "$file" ] || [ "$(cat "$kernels/$name.package" 2>/dev/null)" != "$package" ] || return 0
	download "$suite" "$package" "$file" || return
	echo "$package" >"$kernels/$name.package"
}
