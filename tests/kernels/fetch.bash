# shellcheck shell=bash
#
# Debian's kernels and a module of each, for tests/kernels/run: downloaded once and kept in $cache.
#
# They come from the package archives that this machine's own apt is set up for (or $DEBIAN_MIRROR and
# $DEBIAN_SECURITY_MIRROR), through apt with a state of its own: nothing is installed, and the machine's own apt
# learns nothing of these suites. The packages are signed, and apt checks it.
#
# Two things about Debian's kernel packages: linux-image-cloud-amd64 only names the newest one of its suite; and
# since Linux 6.19 linux-image-VERSION is empty, the image is in linux-binary-VERSION, and modules are in
# linux-modules-VERSION.

declare -A suites=([5.10]=bullseye [6.1]=bookworm [6.12]=bookworm-backports [newest]=sid)
module_path=kernel/fs/binfmt_misc # small, needs no other one, and is entered by reading a file
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/uscope-kernels

# "URL SUITE" of each archive in the machine's apt configuration.
archives() {
	apt-get --print-uris update 2>/dev/null | sed -nE "s,^'([^']*)/dists/([^/']+)/(In)?Release'.*,\1 \2,p"
}

mirror() {
	archives | awk '$2 ~ /^((old)*stable|testing|unstable|bullseye|bookworm|trixie|forky|sid)$/ { print $1; exit }'
}

security_mirror() { archives | awk '$2 ~ /-security$/ { print $1; exit }'; }

suite_apt() { # SUITE COMMAND ARG…
	local state=$cache/apt/$1 command=$2
	shift 2
	timeout 240 "$command" -q -o Dir::Etc="$state" -o Dir::Etc::sourcelist=sources.sources \
		-o Dir::Etc::sourceparts=- -o Dir::Etc::parts=- -o Dir::State="$state" -o Dir::State::status="$state/status" \
		-o Dir::Cache="$state/cache" -o APT::Sandbox::User=root -o APT::Architecture=amd64 \
		-o Acquire::Languages=none -o Acquire::Retries=1 -o Acquire::http::Timeout=10 \
		-o Acquire::https::Timeout=10 "$@"
}

# Archived suites are no longer dated anew: their signature is checked, their age is not.
source_entry() { # URL SUITE
	printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nCheck-Valid-Until: no\nSigned-By: %s\n\n' \
		"$1" "$2" /usr/share/keyrings/debian-archive-keyring.gpg
}

update_suite() { # SUITE; errors on standard output
	local suite=$1 state=$cache/apt/$1 main security
	main=${DEBIAN_MIRROR:-$(mirror)} security=${DEBIAN_SECURITY_MIRROR:-$(security_mirror)}
	if [ -z "$main" ]; then
		echo "no Debian archive in apt's configuration (DEBIAN_MIRROR= names one)"
		return 1
	fi
	mkdir -p "$state"/{preferences.d,trusted.gpg.d,lists/partial,cache/archives/partial}
	: >"$state/status"
	{
		source_entry "$main" "$suite"
		case $suite in
		sid | *-backports) ;;
		*) [ -z "$security" ] || source_entry "$security" "$suite-security" ;;
		esac
	} >"$state/sources.sources"
	suite_apt "$suite" apt-get -o APT::Update::Error-Mode=any update >"$state/log" 2>&1 || {
		grep -m 1 '^[EW]:' "$state/log" || echo "apt-get update for $suite did not end"
		return 1
	}
}

# The packages that the suite's newest kernel is in: the image, and if they are apart its modules.
newest_packages() { # SUITE
	local image binary
	image=$(suite_apt "$1" apt-cache show --no-all-versions linux-image-cloud-amd64 2>/dev/null |
		sed -n 's/^Depends: .*\(linux-image-[0-9][^ ,]*\).*/\1/p' | head -n 1)
	binary=${image/linux-image-/linux-binary-}
	if [ -n "$image" ] && suite_apt "$1" apt-cache show "$binary" >/dev/null 2>&1; then
		image="$binary ${image/linux-image-/linux-modules-}"
	fi
	echo "$image"
}

# The image and the module of the packages, as FILE.vmlinuz and FILE.ko; errors on standard output.
download() { # SUITE FILE PACKAGE…
	local folder package image module
	folder=$(mktemp -d "$cache/new.XXXXXX") || return 1
	(
		cd "$folder" || exit
		suite_apt "$1" apt-get download "${@:3}" >log 2>&1 || exit
		for package in *.deb; do # tar wants all patterns to match: its status says nothing
			dpkg-deb --fsys-tarfile "$package" |
				tar -x --wildcards './boot/vmlinuz-*' './usr/lib/modules/*/vmlinuz' "*/$module_path.ko*" 2>/dev/null
		done
	)
	image=$(find "$folder" -name 'vmlinuz*' -type f) module=$(find "$folder" -name '*.ko*')
	if [ -z "$image" ] || [ -z "$module" ]; then
		grep -m 1 '^E:' "$folder/log" || echo "no kernel image, or no $module_path, in ${*:3}"
		rm -rf "$folder"
		return 1
	fi
	case $module in
	*.xz) xz -dc "$module" ;;
	*) cat "$module" ;;
	esac >"$folder/module" && mv "$folder/module" "$2.ko" && mv "$image" "$2.vmlinuz"
	rm -rf "$folder"
}

# Makes $cache/NAME.vmlinuz and NAME.ko; nothing to do when they are there, unless newer ones are asked for. Errors:
# one line on standard output.
fetch_kernel() { # NAME [newer]
	local file=$cache/$1 suite=${suites[$1]} packages
	[ ! -s "$file.vmlinuz" ] || [ ! -s "$file.ko" ] || [ $# -gt 1 ] || return 0
	update_suite "$suite" || return
	read -ra packages < <(newest_packages "$suite")
	if [ ${#packages[@]} -eq 0 ]; then
		echo "$suite has no kernel"
		return 1
	fi
	[ ! -s "$file.ko" ] || [ "$(cat "$file.packages" 2>/dev/null)" != "${packages[*]}" ] || return 0
	download "$suite" "$file" "${packages[@]}" || return
	echo "${packages[*]}" >"$file.packages"
}
