/*
 * The filters that tools share (-p, -L, --comm, --uid, -F, cgroups), for programs written in C.
 * common/run/filter.h sets them up. The verifier deletes the checks of filters that are off. The
 * others run in the order of their cost, the cheapest first.
 */
#pragma once

#include "bpf/lib/filter.h"
#include "bpf/lib/follow.bpf.h"
#include "bpf/lib/ids.bpf.h"

const volatile struct filter_config filter_config = {};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by the frontend */
	__uint(key_size, 16);
	__uint(value_size, 1);
} filter_comms SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4);
} filter_cgroup SEC(".maps");

/*
 * Returns tgid << 32 | tid of the current thread in the user's pid namespace, or 0 outside of it.
 */
static __always_inline __u64 filter_ids(void)
{
	return ids_current(filter_config.pidns_device, filter_config.pidns_inode);
}

/* Returns whether the current thread passes the filters; `ids` is from filter_ids(). */
static __always_inline int filter_passes(__u64 ids)
{
	__u32 tgid = ids >> 32, tid = ids;
	char comm[16] = {};

	if (filter_config.tgid && tgid != filter_config.tgid)
		return 0;
	if (filter_config.not_tgid && tgid == filter_config.not_tgid)
		return 0;
	if (filter_config.tid && tid != filter_config.tid)
		return 0;
	if (filter_config.pidns_inode && !ids)
		return 0;
	if (filter_config.by_uid && (__u32)bpf_get_current_uid_gid() != filter_config.uid)
		return 0;
	if (filter_config.by_targets && !bpf_map_lookup_elem(&follow_targets, &tgid))
		return 0;
	if (filter_config.by_cgroups && !follow_has_cgroup())
		return 0;
	if (filter_config.by_cgroup && bpf_current_task_under_cgroup(&filter_cgroup, 0) != 1)
		return 0;
	if (filter_config.by_comm) {
		bpf_get_current_comm(comm, sizeof(comm));
		if (!bpf_map_lookup_elem(&filter_comms, comm))
			return 0;
	}
	return 1;
}
