# shellcheck shell=bash disable=SC2154,SC2034 # lib.sh sets them, and the tests use what is set here
# For the tests with containers: podman's, of a folder instead of an image, which stays as it was.

# Sets `podman_run`, what a container begins with, and makes "$T/empty", the root of one that has only a shell.
# What podman notes is in a folder of the test's own, whose name may not be long.
need_podman() {
	local problem
	need_command podman busybox
	podman_folder=$(mktemp -d /tmp/podman.XXXXXX)
	at_exit end_podman_
	podman_here=(podman --root "$podman_folder/storage" --runroot "$podman_folder/run" --tmpdir "$podman_folder/tmp"
		--cgroup-manager cgroupfs)
	# No networks; the limits of its defaults may be above those of this machine.
	podman_run=("${podman_here[@]}" run --rm --interactive --network none --ulimit nofile=1024:1024
		--ulimit nproc=1024:1024)

	mkdir -p "$T"/empty/{bin,dev,etc,proc,run,sys,tmp}
	cp "$(command -v busybox)" "$T/empty/bin/sh"
	problem=$("${podman_run[@]}" --rootfs "$T/empty:O" /bin/sh -c true 2>&1) ||
		skip "podman runs no container here: $(tail -n 1 <<<"$problem")"
}

end_podman_() {
	"${podman_here[@]}" rm --all --force --time 0
	# What has watched over a container cleans up behind it, a moment later.
	wait_for "! pgrep -f '$podman_folder/'" 20
	umount "$podman_folder/storage/overlay"
	rm -rf "$podman_folder"
} >/dev/null 2>&1
