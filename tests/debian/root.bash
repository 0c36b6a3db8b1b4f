# shellcheck shell=bash
#
# Programs of other Debian suites to trace (Python 3.14, Go 1.27, PHP with probes …). Each set of packages
# is unpacked with its dependencies in a folder $cache/roots/SUITE/PACKAGE_PACKAGE. tests/debian/run runs
# its programs like those of a container, with a root and mounts of their own. The packages' scripts do not
# run, so there are no alternatives and no users unless a test makes them, and no shell or env unless
# a package depends on it.

source "${BASH_SOURCE[0]%/*}/suites.bash"

download_packages() { # SUITE FOLDER PACKAGE…; errors: one line on standard output
	local said
	mkdir -p "$2/partial"
	update_suite "$1" || return
	said=$(download_ "$@") || { update_suite "$1" now >/dev/null && said=$(download_ "$@"); } || {
		grep -m 1 '^E:' <<<"$said" || echo "downloading ${*:3} of $1 did not end"
		return 1
	}
}
download_() { # SUITE FOLDER PACKAGE…
	local preferred=(-t "$1")
	[[ $1 != experimental* ]] || preferred=() # as little of it as possible
	suite_apt "$1" apt-get -o Dir::Cache::archives="$2" --yes --no-install-recommends --download-only "${preferred[@]}" \
		install "${@:3}" 2>&1
}

# Packages may have files in /bin or /lib, so the links to /usr come first, and stay.
unpack_packages() { # FOLDER-OF-PACKAGES ROOT
	local package link
	for link in bin sbin lib lib64; do
		mkdir -p "$2/usr/$link"
		ln -s "usr/$link" "$2/$link"
	done
	mkdir -p "$2"/{proc,dev,tmp,root}
	for package in "$1"/*.deb; do
		dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$2" || return
	done
}

make_root() { # ROOT SUITE PACKAGE…; errors: one line on standard output
	local root=$1 suite=$2
	shift 2
	[ ! -d "$root" ] || return 0 # another test has made it meanwhile
	mkdir "$new/packages" "$new/root"
	download_packages "$suite" "$new/packages" "$@" && unpack_packages "$new/packages" "$new/root" &&
		mv -T "$new/root" "$root"
}

in_root=() # set by debian_root

# Sets `root`, a folder with these packages, and `in_root`, the start of a command that runs in it:
#     debian_root trixie python3.13
#     start_target_and_wait "${in_root[@]}" python3.13 "$T/program.py"
# The command sees the test's folder $T by the same name, and a new /tmp. The root stays, so that Go builds
# its library only once with HOME=/root. Skips the test if the packages cannot be downloaded.
debian_root() { # SUITE PACKAGE…
	local IFS=_
	named_debian_root "${*:2}" "$@"
}
named_debian_root() { # NAME-OF-THE-FOLDER SUITE PACKAGE…
	local name=$1 problem IFS=$' \t\n'
	shift
	[ "$(id -u)" -eq 0 ] || skip 'needs root'
	[ "$(uname -m)" = x86_64 ] || skip 'the packages are for x86-64'
	need_command apt-get dpkg-deb unshare flock
	root=$cache/roots/$1/$name
	in_root=("$ROOT/tests/debian/run" "$root" "$T")
	[ -d "$root" ] || problem=$(alone "$cache/roots/$1" make_root "$root" "$@") || skip "$* cannot be had: $problem"
}
