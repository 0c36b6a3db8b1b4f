#!/bin/bash
# alone: it builds
# timeout: 1200
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/manual.bash"
need_command jq xz

# make dist writes the same archives twice, also from an unpacked archive without git; what is in them installs and runs.
version=$(cat "$ROOT/VERSION")
export SOURCE_DATE_EPOCH=1700000000 # older than what has been built, so that it is not built again
make -s -C "$ROOT" dist-source dist="$T/first" 2>/dev/null
mkdir "$T/unpacked"
tar -C "$T/unpacked" -xf "$T/first/uscope-$version.tar.xz"
expect_equal "$(ls "$T/unpacked")" "uscope-$version"
tree=$T/unpacked/uscope-$version
for file in Makefile VERSION CHANGELOG.md LICENSE packaging/debian/control tests/lib.sh; do
	cmp "$ROOT/$file" "$tree/$file"
done
expect_equal "$(find "$tree" -type f ! -newermt @1700000001 -newermt @1699999999 | wc -l)" "$(find "$tree" -type f | wc -l)"

copy_build "$tree"
cd "$tree"
unset BUILD SOURCE_DATE_EPOCH
expect_equal "$(make | grep -v LINK)" ''
make -s dist-source dist-binary
cmp "build/dist/uscope-$version.tar.xz" "$T/first/uscope-$version.tar.xz"
mv build/dist build/dist1
rm -r build/bin build/tables build/stage
touch VERSION -d @1700000000
make -s dist-source dist-binary
diff -r build/dist build/dist1
make -s dist-sums
(cd build/dist && sha256sum --quiet -c SHA256SUMS)
expect_equal "$(wc -l <build/dist/SHA256SUMS)" "$(ls build/dist/uscope-* | wc -l)"
archive=uscope-$version-linux-$(uname -m)

# The archive runs in a folder where nothing else is, and with a busybox.
mkdir -p "$T/empty" "$T/busybox"
tar -C "$T/empty" --strip-components=1 -xf "build/dist/$archive.tar.xz"
run chroot "$T/empty" /bin/uscope trace --version
expect_status 0
expect_equal "$(cat "$tool_out")" "uscope trace $version"
run chroot "$T/empty" /bin/tplist --help
expect_status 0
expect_line '^Usage: tplist ' "$tool_out"
if command -v busybox >/dev/null && busybox --list | grep -qx readlink; then
	tar -C "$T/busybox" --strip-components=1 -xf "build/dist/$archive.tar.xz"
	cp "$(command -v busybox)" "$T/busybox/bin/"
	chroot "$T/busybox" /bin/busybox --install -s /bin
	run chroot "$T/busybox" /bin/sh -c 'uscope trace --version && javacalls --help'
	expect_status 0
	expect_line "^uscope trace $version\$" "$tool_out"
	expect_line '^Usage: javacalls ' "$tool_out"
fi
for page in trace uscope; do
	[ -s "$T/empty/share/man/man1/$page.1" ]
done
for file in README.md docs/building.md docs/pictures/mysqlqueries.svg LICENSE licences/GPL-2.0.txt licences/libbpf-dev uscope.spdx.json; do
	[ -s "$T/empty/share/doc/uscope/$file" ] || fail "the archive lacks $file"
done

# The bill of materials names the installed packages of what is linked, and the program that it is for.
bill=build/dist/$archive.spdx.json
cmp "$bill" "$T/empty/share/doc/uscope/uscope.spdx.json"
expect_equal "$(jq -r '.spdxVersion' "$bill")" SPDX-2.3
expect_equal "$(jq -r '.packages[0].checksums[0].checksumValue' "$bill")" "$(sha256sum <"$T/empty/bin/uscope" | cut -d ' ' -f 1)"
for package in libbpf-dev libdw-dev libelf-dev libiberty-dev liblzma-dev libyaml-dev zlib1g-dev libc6-dev libfmt-dev; do
	expect_equal "$(jq -r ".packages[] | select(.name == \"$package\") | .versionInfo" "$bill")" \
		"$(dpkg-query -W -f '${Version}' "$package")"
done
jq -e '[.packages[].name | select(test("^libstdc\\+\\+-"))] | length == 1' "$bill" >"$T/jq" || fail "$bill lacks libstdc++"
# Each package is related to the program.
expect_equal "$(jq -r '.relationships[] | select(.relationshipType == "STATIC_LINK") | .relatedSpdxElement' "$bill" | sort)" \
	"$(jq -r '.packages[1:][].SPDXID' "$bill" | sort)"

# The image for containers is the same twice, and consistent: the digests in it are those of its files.
image=$T/image.tar
"$ROOT/packaging/oci/build" "build/dist/$archive.tar.xz" "$image"
"$ROOT/packaging/oci/build" "build/dist/$archive.tar.xz" "$T/image2.tar"
cmp "$image" "$T/image2.tar"
mkdir "$T/layout"
tar -C "$T/layout" -xf "$image"
(cd "$T/layout/blobs/sha256" && for blob in *; do echo "$blob  $blob"; done | sha256sum --quiet -c)
blob() { echo "$T/layout/blobs/sha256/${1#sha256:}"; } # DIGEST
manifest=$(blob "$(jq -r '.manifests[].digest' "$T/layout/index.json")")
config=$(blob "$(jq -r '.config.digest' "$manifest")")
layer=$(blob "$(jq -r '.layers[].digest' "$manifest")")
expect_equal "$(jq -r '.rootfs.diff_ids[]' "$config")" "sha256:$(zcat "$layer" | sha256sum | cut -d ' ' -f 1)"
mkdir "$T/rootfs"
tar -C "$T/rootfs" -xzf "$layer"
run chroot "$T/rootfs" "$(jq -r '.config.Entrypoint[]' "$config")" trace --version
expect_status 0
expect_equal "$(cat "$tool_out")" "uscope trace $version"

# What cannot be in an archive is refused.
run make -s STATIC=0 dist-binary
expect_status 2
expect_line 'holds a static program' "$tool_err"
