/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * stackcount: the C function that its generated programs call (common/expr/compile.h,
 * OutputKind::Key).
 */
#include "bpf/lib/bpf.h"
#include "bpf/lib/probe.bpf.h"
#include "bpf/unwind/site_stacks.bpf.h"
#include "bpf/lib/table.bpf.h"

/*
 * Only the template below uses this map. It is never attached: it makes libbpf prepare the C
 * function (common/kernel/templates.h). The frontend creates the real table.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct stack_key);
	__type(value, __u64);
} stackcount_counts SEC(".maps");

/* The generated main calls this. It passes no key of its own and measures nothing. */
__hidden __noinline int stackcount_count(void *ctx, void *table, void *key, __u64 measured,
					 __s64 status)
{
	struct stack_key stack;

	site_stacks(ctx, &stack);
	table_count(table, &stack);
	return 0;
}

SEC("template")
int stackcount_count_template(void *ctx)
{
	return stackcount_count(ctx, &stackcount_counts, NULL, 0, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
