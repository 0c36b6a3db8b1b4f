#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT/packaging"

# The packages of other systems cannot be built here. Their files are at least well-formed, as far as a parser is
# installed, and name this version.
version=$(cat ../VERSION)
for file in alpine/APKBUILD arch/PKGBUILD oci/build; do
	bash -n "$file"
done
# What the shell sees: all that these packages need to have.
(
	cd "$T"
	source "$ROOT/packaging/alpine/APKBUILD"
	[ "$pkgname $pkgver $source" = "uscope $version uscope-$version.tar.xz" ] && declare -F build package >/dev/null &&
		[ -n "$pkgdesc$license$makedepends" ]
) || fail 'APKBUILD'
(
	cd "$T"
	source "$ROOT/packaging/arch/PKGBUILD"
	[ "$pkgname $pkgver ${source[*]}" = "uscope $version uscope-$version.tar.xz" ] && declare -F build package >/dev/null &&
		[ ${#sha256sums[@]} -eq ${#source[@]} ]
) || fail 'PKGBUILD'
expect_line "^Version: +${version//./\\.}\$" rpm/uscope.spec
expect_line "/uscope-${version//./\\.}\.tar\.xz\"\$" homebrew/uscope.rb
! command -v rpmspec >/dev/null || rpmspec --query --qf '%{NAME} %{VERSION}\n' rpm/uscope.spec >"$T/spec"
! command -v ruby >/dev/null || ruby -c homebrew/uscope.rb >"$T/ruby"
! command -v nix-instantiate >/dev/null || nix-instantiate --parse nix/flake.nix >"$T/nix" 2>"$T/nix.err" || fail "$(cat "$T/nix.err")"
