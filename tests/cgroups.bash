# shellcheck shell=bash disable=SC2034 # for the scripts that read this file
#
# Cgroups of version 2 that a test makes, for processes in containers, pods and units.

# Sets `root` to the root of the cgroups and `slice` to a folder in it, which is removed at the end
# with the folders that the test makes in it; `id` and `uid` to an id of a container and of a pod.
# Skips the test where cgroups cannot be made.
make_slice() {
	root=$(findmnt -nt cgroup2 -o TARGET | head -n 1)
	slice=$root/uscope-test.$$.slice
	[ -n "$root" ] && mkdir "$slice" 2>/dev/null || skip 'cannot create a cgroup-v2 folder'
	at_exit "for try in {1..50}; do find '$slice' -depth -type d -exec rmdir {} + && break; sleep 0.02; done 2>/dev/null"
	id=$(printf '%08x' $$ | sha256sum | cut -c1-64)
	uid=$(cut -c1-8 <<<"$id")-2a41-4b08-9d35-b4bd7ffe7d25
}
