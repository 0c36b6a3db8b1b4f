/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * funccount: the C functions that its generated programs call (common/expr/compile.h,
 * OutputKind::Key).
 *
 * Without keys the table is an array with a count for each site. With keys it is a hash map whose
 * keys begin with 8 bytes that we fill in; the site is in their upper half.
 */
#include "bpf/lib/bpf.h"
#include "bpf/lib/probe.bpf.h"
#include "bpf/lib/table.bpf.h"

/*
 * Only the templates below use this map. They are never attached: they make libbpf prepare the C
 * functions (common/kernel/templates.h). The frontend creates the real table.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} funccount_table SEC(".maps");

__hidden __noinline int funccount_count(void *ctx, void *table, void *key, __u64 measured,
					__s64 status)
{
	__u32 site = site_number(ctx);
	__u32 index = site ? site - 1 : 0;

	table_count(table, &index);
	return 0;
}

__hidden __noinline int funccount_count_keyed(void *ctx, void *table, void *key, __u64 measured,
					      __s64 status)
{
	*(__u64 *)key = (__u64)site_number(ctx) << 32;
	table_count(table, key);
	return 0;
}

SEC("template")
int funccount_count_template(void *ctx)
{
	return funccount_count(ctx, &funccount_table, NULL, 0, 0);
}

SEC("template")
int funccount_count_keyed_template(void *ctx)
{
	__u64 key = 0;

	return funccount_count_keyed(ctx, &funccount_table, &key, 0, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
