#!/bin/bash
# alone: it links a program
# timeout: 600
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/manual.bash"
need_command rpm rpmbuild

# Debian's rpmbuild makes a package from the source archive, which rpm installs into a folder. Debian's packages are no
# packages for it, hence --nodeps. What has been built is not built again, because the sources are older.
version=$(cat "$ROOT/VERSION")
mkdir -p "$T/top/SOURCES" "$T/root"
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
rpm --root "$T/root" --initdb
rpm --root "$T/root" --nodeps --install "$rpm"
expect_equal "$(rpm --root "$T/root" --query --queryformat '%{VERSION} %{LICENSE}' uscope)" \
	"$version Apache-2.0 AND (GPL-2.0-only OR BSD-2-Clause)"
rpm --root "$T/root" --query --requires uscope >"$T/requires"
expect_line '^libbpf\.so' "$T/requires"
for tool in trace ustat; do
	run "$T/root/usr/bin/$tool-uscope" --version
	expect_status 0
	expect_equal "$(cat "$tool_out")" "$tool-uscope $version"
	zcat -f "$T/root/usr/share/man/man1/$tool-uscope.1"* >"$T/page"
	expect_line "^\.TH ${tool^^}" "$T/page"
	[ -s "$T/root/usr/share/bash-completion/completions/$tool-uscope" ]
done
run "$T/root/usr/bin/javacalls-uscope" --help
expect_line '^Usage: ucalls-uscope ' "$tool_out"
rpm --root "$T/root" --erase uscope
expect_equal "$(find "$T/root/usr" ! -type d)" ''
