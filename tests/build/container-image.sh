#!/bin/bash
# alone: it links a program
# shares: podman
# timeout: 600
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/manual.bash"
source "$(dirname "$0")/../tools/trace/container.bash"
need_podman

# podman loads the image, and runs the program in it. tests/build/release-archives.sh checks the image itself.
version=$(cat "$ROOT/VERSION")
ln -s "$ROOT"/{LICENSE,LICENSES,README.md} "$T"
copy_tree_and_build
make -s -C "$T" dist-binary >"$T/log" 2>&1 || fail "$(cat "$T/log")"
"$ROOT/packaging/oci/build" "$T/build/dist/uscope-$version-linux-$(uname -m).tar.xz" "$T/image.tar"
"${podman_here[@]}" load -i "$T/image.tar" >"$T/log" 2>&1 || fail "$(cat "$T/log")"
run "${podman_run[@]}" "localhost/uscope:$version" trace --version
expect_status 0
expect_equal "$(cat "$tool_out")" "uscope trace $version"
