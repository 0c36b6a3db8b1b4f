# shellcheck shell=bash
#
# Packages of other Debian suites than the machine's own, for the tests. Each is downloaded once and kept
# in $cache.
#
# They come from the archives in this machine's apt configuration (or $DEBIAN_MIRROR and
# $DEBIAN_SECURITY_MIRROR), through apt with its own state: nothing is installed, and the machine's apt does
# not learn of these suites. apt checks the packages' signatures.
#
# A SUITE is "bookworm", for x86-64, or "bookworm:arm64"; "bookworm:source" has its source packages.
#
# All clones of this user on this machine share $cache, which outlives their build folders. Names in it
# contain what the content was made from; removing any part of it only costs time.

cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/uscope-tests

# Runs a command while no other one runs for FOLDER. The command makes its results in $new, an empty
# folder in FOLDER, and moves them to their places when they are complete. Whatever is in $new before was
# left by an interrupted command. The command's children also hold the lock, so none of them still works
# there.
alone() { # FOLDER COMMAND…
	local new=$1/new lock status=0
	mkdir -p "$1"
	exec {lock}>"$1/lock"
	flock "$lock"
	rm -rf "$new"
	mkdir "$new"
	"${@:2}" || status=$?
	rm -rf "$new"
	exec {lock}>&-
	return "$status"
}

# "URL SUITE" of each archive in the machine's apt configuration.
archives() {
	apt-get --print-uris update 2>/dev/null | sed -nE "s,^'([^']*)/dists/([^/']+)/(In)?Release'.*,\1 \2,p"
}

mirror() {
	archives | awk '$2 ~ /^((old)*stable|testing|unstable|bullseye|bookworm|trixie|forky|sid)$/ { print $1; exit }'
}

security_mirror() { archives | awk '$2 ~ /-security$/ { print $1; exit }'; }

# Only one runs at a time for each suite, because they share lists of packages.
suite_apt() { # SUITE COMMAND ARG…
	local state=$cache/apt/$1 command=$2 architecture=amd64
	[[ $1 != *:* || $1 = *:source ]] || architecture=${1#*:}
	shift 2
	mkdir -p "$state"
	flock "$state/in-use" timeout 240 "$command" -q -o Dir::Etc="$state" -o Dir::Etc::sourcelist=sources.sources \
		-o Dir::Etc::sourceparts=- -o Dir::Etc::parts=- -o Dir::State="$state" -o Dir::State::status="$state/status" \
		-o Dir::Cache="$state/cache" -o APT::Sandbox::User=root -o APT::Architecture="$architecture" \
		-o APT::Architectures="$architecture" -o Acquire::Languages=none -o Acquire::Retries=1 \
		-o Acquire::http::Timeout=10 -o Acquire::https::Timeout=10 "$@"
}

# Archived suites get no new dates: apt checks their signature, not their age.
source_entry() { # URL SUITE [TYPE]
	printf 'Types: %s\nURIs: %s\nSuites: %s\nComponents: main\nCheck-Valid-Until: no\nSigned-By: %s\n\n' \
		"${3:-deb}" "$1" "$2" /usr/share/keyrings/debian-archive-keyring.gpg
}

# Updates apt's list of a suite's packages, unless it is newer than an hour. Errors: one line on standard
# output.
update_suite() { # SUITE [now]
	local suite=${1%:*} state=$cache/apt/$1 type=deb main security sources said
	[[ $1 != *:source ]] || type=deb-src
	main=${DEBIAN_MIRROR:-$(mirror)} security=${DEBIAN_SECURITY_MIRROR:-$(security_mirror)}
	if [ -z "$main" ]; then
		echo "no Debian archive in apt's configuration (DEBIAN_MIRROR= names one)"
		return 1
	fi
	sources=$(
		source_entry "$main" "$suite" "$type"
		case $1 in
		sid* | *:source) ;; # newer packages in the security archive may lack sources
		experimental*) source_entry "$main" sid ;;
		*-backports*) source_entry "$main" "${suite%-backports}" ;;
		*) [ -z "$security" ] || source_entry "$security" "$suite-security" "$type" ;;
		esac
	)
	[ "$sources" != "$(cat "$state/sources.sources" 2>/dev/null)" ] || [ $# -gt 1 ] ||
		[ -z "$(find "$state/updated" -mmin -60 2>/dev/null)" ] || return 0
	mkdir -p "$state"/{preferences.d,trusted.gpg.d,lists/partial,cache/archives/partial}
	: >"$state/status"
	echo "$sources" >"$state/new-sources.$BASHPID" && mv "$state/new-sources.$BASHPID" "$state/sources.sources"
	said=$(suite_apt "$1" apt-get -o APT::Update::Error-Mode=any update 2>&1) || {
		grep -m 1 '^[EW]:' <<<"$said" || echo "apt-get update for $1 did not end"
		return 1
	}
	touch "$state/updated"
}
