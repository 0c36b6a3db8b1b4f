#!/bin/bash
# alone: it links a program
# timeout: 600
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/manual.bash"
need_command rpm rpmbuild

# Debian's rpmbuild makes a package from the source archive, which rpm installs into a folder. Debian's packages are no
# packages for it, hence --nodeps. What has been built is not built again, because the sources are older.
version=$(cat "$ROOT/VERSION")
mkdir -p "$T/top/SOURCES" "$T/system"
SOURCE_DATE_EPOCH=1700000000 make -s -C "$ROOT" dist-source dist="$T/top/SOURCES" >"$T/log" 2>&1
rpm_build() { # OPTION…
	rpmbuild "$@" --nodeps --define "_topdir $T/top" --define 'optflags %{nil}' "$ROOT/packaging/rpm/uscope.spec" >"$T/log" 2>&1 ||
		fail "$(tail -n 20 "$T/log")"
}
rpm_build -bp
copy_build "$T/top/BUILD/uscope-$version"
unset BUILD
for step in c i b; do
	rpm_build "-b$step" --short-circuit
done
rpm=$(echo "$T"/top/RPMS/*/uscope-"$version"-1*.rpm)
rpm --root "$T/system" --initdb
rpm --root "$T/system" --nodeps --install "$rpm"
expect_equal "$(rpm --root "$T/system" --query --queryformat '%{VERSION} %{LICENSE}' uscope)" \
	"$version Apache-2.0 AND (GPL-2.0-only OR BSD-2-Clause)"
rpm --root "$T/system" --query --requires uscope >"$T/requires"
expect_line '^libbpf\.so' "$T/requires"
for tool in trace ustat; do
	run "$T/system/usr/bin/$tool-uscope" --version
	expect_status 0
	expect_equal "$(cat "$tool_out")" "$tool-uscope $version"
	zcat -f "$T/system/usr/share/man/man1/$tool-uscope.1"* >"$T/page"
	expect_line "^\.TH ${tool^^}" "$T/page"
	[ -s "$T/system/usr/share/bash-completion/completions/$tool-uscope" ]
done
run "$T/system/usr/bin/javacalls-uscope" --help
expect_line '^Usage: javacalls-uscope ' "$tool_out"
rpm --root "$T/system" --erase uscope
expect_equal "$(find "$T/system/usr" ! -type d)" ''
