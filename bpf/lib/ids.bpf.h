/*
 * The process and thread ids a person sees.
 *
 * bpf_get_current_pid_tgid() counts in the initial pid namespace. A tracer in a container counts in
 * its own, so there the helper that takes a namespace is used (5.7; its task must be in exactly
 * that namespace).
 */
#pragma once

static __always_inline __u64 ids_current(__u64 pidns_device, __u64 pidns_inode)
{
	struct bpf_pidns_info ids = {};

	if (!pidns_inode)
		return bpf_get_current_pid_tgid();
	if (bpf_get_ns_current_pid_tgid(pidns_device, pidns_inode, &ids, sizeof(ids)))
		return 0;
	return (__u64)ids.tgid << 32 | ids.pid;
}
