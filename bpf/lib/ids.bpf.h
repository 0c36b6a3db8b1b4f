/*
 * Process and thread ids in the user's pid namespace.
 *
 * bpf_get_current_pid_tgid() returns ids of the initial pid namespace. For a tracer in a container,
 * bpf_get_ns_current_pid_tgid() (Linux 5.7) returns those of the container's namespace; it works
 * only for tasks of exactly that namespace.
 */
#pragma once

/* Returns tgid << 32 | tid, or 0 if the current task is outside of the namespace. */
static __always_inline __u64 ids_current(__u64 pidns_device, __u64 pidns_inode)
{
	struct bpf_pidns_info ids = {};

	if (!pidns_inode)
		return bpf_get_current_pid_tgid();
	if (bpf_get_ns_current_pid_tgid(pidns_device, pidns_inode, &ids, sizeof(ids)))
		return 0;
	return (__u64)ids.tgid << 32 | ids.pid;
}
