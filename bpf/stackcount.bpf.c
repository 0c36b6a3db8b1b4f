/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * stackcount: the C function that its generated programs call (common/expr/compile.h,
 * OutputKind::Key).
 */
#include "bpf/lib/bpf.h"
#include "bpf/lib/probe.bpf.h"
#include "bpf/unwind/site_stacks.bpf.h"
#include "bpf/lib/sums.bpf.h"
#include "bpf/lib/table.bpf.h"

/*
 * Only the template below uses this map. It is never attached: it makes libbpf prepare the C
 * function (common/kernel/templates.h). The frontend creates the real table, whose values are
 * counts if nothing is added up.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct stack_key);
	__uint(value_size, sizeof(sums_zero));
} stackcount_sums SEC(".maps");

/*
 * The generated main calls this. It passes no key of its own; if it adds up a value, `addends` is 1
 * and the value precedes `key` (table_sum()). One function for both: it contains the unwinder.
 */
__hidden __noinline int stackcount_count(void *ctx, void *table, void *key, __u64 addends,
					 __s64 status)
{
	struct stack_key stack;

	if (table_refuses(status))
		return 0;
	site_stacks(ctx, &stack);
	if (addends)
		table_sum(table, &stack, key, addends);
	else
		table_count(table, &stack);
	return 0;
}

SEC("template")
int stackcount_count_template(void *ctx)
{
	return stackcount_count(ctx, &stackcount_sums, NULL, 0, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
