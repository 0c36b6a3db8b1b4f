# shellcheck shell=bash disable=SC2154,SC2034 # variables from lib.sh, and variables for the tests
# For the tests with podman containers. They run from a folder instead of an image, with an overlay,
# so the folder does not change.

# Sets `podman_run`, the array that starts a container's command, and makes "$T/empty", the root of
# a container that has only a shell. podman keeps its state in a folder of this test; it refuses
# long paths, so this folder is not in $T.
need_podman() {
	local problem
	need_command podman busybox
	podman_folder=$(mktemp -d /tmp/podman.XXXXXX)
	at_exit end_podman_
	podman_here=(podman --root "$podman_folder/storage" --runroot "$podman_folder/run" --tmpdir "$podman_folder/tmp"
		--cgroup-manager cgroupfs)
	# Without networks. podman's default limits may be above those of this machine.
	podman_run=("${podman_here[@]}" run --rm --interactive --network none --ulimit nofile=1024:1024
		--ulimit nproc=1024:1024)

	mkdir -p "$T"/empty/{bin,dev,etc,proc,run,sys,tmp}
	cp "$(command -v busybox)" "$T/empty/bin/sh"
	problem=$("${podman_run[@]}" --rootfs "$T/empty:O" /bin/sh -c true 2>&1) ||
		skip "podman cannot run containers here: $(tail -n 1 <<<"$problem")"
}

end_podman_() {
	"${podman_here[@]}" rm --all --force --time 0
	# A container's monitor process cleans up and exits a moment later.
	wait_for "! pgrep -f '$podman_folder/'" 20
	umount "$podman_folder/storage/overlay"
	rm -rf "$podman_folder"
} >/dev/null 2>&1
