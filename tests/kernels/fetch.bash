# shellcheck shell=bash
#
# Debian's kernels with a module of each, for tests/kernels/run: downloaded once and kept in $kernels. For
# arm64 guests, $arm64 also has static libraries for the tools, and a busybox.
#
# Debian's linux-image-cloud-amd64 only names the newest kernel package of its suite. Since Linux 6.19,
# linux-image-VERSION is empty: the image is in linux-binary-VERSION, the modules are in
# linux-modules-VERSION.

source "${BASH_SOURCE[0]%/*}/../debian/suites.bash"

declare -A suites=([5.10]=bullseye [6.1]=bookworm [6.12]=trixie [newest]=sid
	[arm64-6.1]=bookworm:arm64 [arm64-newest]=sid:arm64)
kernels=$cache/kernels
module_path=kernel/fs/binfmt_misc # small, needs no other module, and runs when a file is read

# Prints the packages of the suite's newest kernel: the image and, if separate, its modules.
newest_packages() { # SUITE
	local image binary architecture=amd64
	[[ $1 != *:* ]] || architecture=${1#*:}
	image=$(suite_apt "$1" apt-cache show --no-all-versions "linux-image-cloud-$architecture" 2>/dev/null |
		sed -n 's/^Depends: .*\(linux-image-[0-9][^ ,]*\).*/\1/p' | head -n 1)
	binary=${image/linux-image-/linux-binary-}
	if [ -n "$image" ] && suite_apt "$1" apt-cache show "$binary" >/dev/null 2>&1; then
		image="$binary ${image/linux-image-/linux-modules-}"
	fi
	echo "$image"
}

# Downloads the packages' image and module as FILE.vmlinuz and FILE.ko; errors on standard output.
download() { # SUITE FILE PACKAGE…
	local package image module
	(
		cd "$new" || exit
		suite_apt "$1" apt-get download "${@:3}" >log 2>&1 || exit
		for package in *.deb; do # tar fails if any pattern matches nothing: ignore its status
			dpkg-deb --fsys-tarfile "$package" |
				tar -x --wildcards './boot/vmlinuz-*' './usr/lib/modules/*/vmlinuz' "*/$module_path.ko*" 2>/dev/null
		done
	)
	image=$(find "$new" -name 'vmlinuz*' -type f) module=$(find "$new" -name '*.ko*')
	if [ -z "$image" ] || [ -z "$module" ]; then
		grep -m 1 '^E:' "$new/log" || echo "no kernel image, or no $module_path, in ${*:3}"
		return 1
	fi
	case $module in
	*.xz) xz -dc "$module" ;;
	*) cat "$module" ;;
	esac >"$new/module" && rm -f "$2".* && mv "$new/module" "$2.ko" && mv "$image" "$2.vmlinuz"
}

# True if the release is the version in the guest's name: a suite may get another one.
is_version() { # NAME RELEASE
	local version=${1#arm64-}
	[ "$version" = newest ] || [[ $2 = "$version".* ]]
}

# Makes $kernels/NAME.vmlinuz and NAME.ko unless they exist ("newer": always). Errors: one line on standard
# output.
fetch_kernel() { # NAME [newer]
	local file=$kernels/$1 suite=${suites[$1]} packages release
	release=$(cat "$file.packages" 2>/dev/null)
	is_version "$1" "${release#linux-*-}" || rm -f "$file".*
	[ ! -s "$file.vmlinuz" ] || [ ! -s "$file.ko" ] || [ $# -gt 1 ] || return 0
	update_suite "$suite" ${2:+now} || return
	read -ra packages < <(newest_packages "$suite")
	if [ ${#packages[@]} -eq 0 ]; then
		echo "$suite has no kernel"
		return 1
	fi
	if ! is_version "$1" "${packages[0]#linux-*-}"; then
		echo "$suite has ${packages[0]}, which is not a Linux ${1#arm64-}"
		return 1
	fi
	[ ! -s "$file.ko" ] || [ "$(cat "$file.packages" 2>/dev/null)" != "${packages[*]}" ] || return 0
	download "$suite" "$file" "${packages[@]}" || return
	echo "${packages[*]}" >"$file.packages"
}

# The libraries must match this machine's headers, so they come from its release.
own_release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
arm64_packages=(busybox-static libbpf-dev libbz2-dev libdw-dev libelf-dev libiberty-dev liblzma-dev libyaml-dev libzstd-dev
	zlib1g-dev)
arm64=$cache/arm64/$own_release-packages-$(cksum <<<"${arm64_packages[*]}" | cut -d ' ' -f 1)

list_arm64_packages() { # DEB…
	local package said
	for package in "$@"; do
		# shellcheck disable=SC2016 # for dpkg-deb
		said=$(dpkg-deb -W --showformat='${Package} ${Version} ${source:Package} ${source:Version}' "$package") || return
		dpkg-deb -c "$package" | sed -nE "s,.* \./usr/lib/aarch64-linux-gnu/([^ ]*[^/ ])( -> .*)?\$,\1 $said,p"
	done
}

# Makes $arm64/busybox, $arm64/lib, and $arm64/lib/packages, which says from which package each
# file of lib is, for scripts/linked-packages: "FILE PACKAGE VERSION SOURCE SOURCE-VERSION". Their
# copyright files are in lib/doc. Errors: one line on standard output.
fetch_arm64() {
	local suite=$own_release:arm64 folder=$new/arm64 package
	[ ! -d "$arm64" ] || return 0
	mkdir -p "${arm64%/*}"
	update_suite "$suite" || return
	mkdir -p "$folder/unpacked"
	(cd "$folder" && suite_apt "$suite" apt-get download "${arm64_packages[@]}" >log 2>&1) &&
		for package in "$folder"/*.deb; do dpkg-deb -x "$package" "$folder/unpacked" || break; done &&
		mv "$folder/unpacked/usr/lib/aarch64-linux-gnu" "$folder/lib" &&
		list_arm64_packages "$folder"/*.deb >"$folder/lib/packages" &&
		mv "$folder/unpacked/usr/share/doc" "$folder/lib/doc" &&
		mv "$(find "$folder/unpacked" -path '*bin/busybox')" "$folder" &&
		rm -rf "$folder/unpacked" "$folder"/*.deb && mv -T "$folder" "$arm64" && return
	grep -m 1 '^E:' "$folder/log" || echo "${arm64_packages[*]} of $suite cannot be had"
	return 1
}
