/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * uobjnew: the C half of its programs, which are generated (common/expr/program.h, Sink::Key).
 *
 * Each probe has a table of its own, whose values know how many and how many bytes. With a key -
 * a type, a size - it is a hash, whose keys begin with 8 bytes for us: 0.
 *
 * An allocation function often asks another one, which has a probe too: operator new[] jumps to
 * operator new, which calls malloc; realloc calls it, when there was nothing yet. What a program
 * asked for is to be counted once, by the outermost. So each thread remembers its last one: where
 * the function is, and the stack pointer and the return address that it was entered with. The next
 * one was asked by that one
 *
 *     when it was called from within it: it returns to a place shortly behind its start;
 *     or when it was jumped to: it has the same stack pointer and the same return address, and is
 *     not the function again that the program called (in a loop).
 *
 * Two calls of a program at the same depth return to different places, unless they are made through
 * one pointer that led to another function each time.
 */
#include "lib/bpf.h"
#include "lib/probe.bpf.h"
#include "lib/table.bpf.h"

enum {
	UOBJNEW_THREADS = 16384,
	UOBJNEW_FUNCTION = 1024, /* bytes of the longest function that asks another one */
};

/* Only for the templates, which are never attached; the frontend makes the real ones. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct histogram_slot);
} uobjnew_table SEC(".maps");

struct uobjnew_call {
	__u64 function, stack, caller;
	__u64 outermost; /* the function that the program called */
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, UOBJNEW_THREADS);
	__type(key, __u32);
	__type(value, struct uobjnew_call);
} uobjnew_threads SEC(".maps");

/* Where the function that is entered will return to. */
static __always_inline __u64 caller_of(void *ctx)
{
#ifdef __TARGET_ARCH_x86
	__u64 caller = 0;

	bpf_probe_read_user(&caller, sizeof(caller), (void *)((struct pt_regs *)ctx)->sp);
	return caller;
#else
	return ((struct user_pt_regs *)ctx)->regs[30];
#endif
}

static __always_inline struct uobjnew_call call_of(void *ctx)
{
	struct uobjnew_call call = {.caller = caller_of(ctx)};
#ifdef __TARGET_ARCH_x86
	call.function = ((struct pt_regs *)ctx)->ip;
	call.stack = ((struct pt_regs *)ctx)->sp;
#else
	call.function = ((struct user_pt_regs *)ctx)->pc;
	call.stack = ((struct user_pt_regs *)ctx)->sp;
#endif
	call.outermost = call.function;
	return call;
}

static __always_inline bool was_asked_by(const struct uobjnew_call *inner,
					 const struct uobjnew_call *outer)
{
	if (inner->stack == outer->stack)
		return inner->caller == outer->caller && inner->function != outer->outermost;
	return inner->stack < outer->stack && inner->caller - outer->function < UOBJNEW_FUNCTION;
}

static __always_inline bool is_inner(void *ctx)
{
	struct uobjnew_call call = call_of(ctx), *last;
	__u32 tid = bpf_get_current_pid_tgid();
	bool inner;

	last = bpf_map_lookup_elem(&uobjnew_threads, &tid);
	if (!last) {
		bpf_map_update_elem(&uobjnew_threads, &tid, &call, BPF_ANY);
		return false;
	}
	inner = was_asked_by(&call, last);
	if (inner)
		call.outermost = last->outermost;
	*last = call;
	return inner;
}

__hidden __noinline int uobjnew_count(void *ctx, void *table, void *key, __u64 measured,
				      __s64 status)
{
	__u32 only = 0;

	if (!table_refuses(status))
		table_measure(table, &only, measured);
	return 0;
}

__hidden __noinline int uobjnew_count_keyed(void *ctx, void *table, void *key, __u64 measured,
					    __s64 status)
{
	if (table_refuses(status))
		return 0;
	*(__u64 *)key = 0;
	table_measure(table, key, measured);
	return 0;
}

/* Of functions that allocate. */
__hidden __noinline int uobjnew_allocate_keyed(void *ctx, void *table, void *key, __u64 measured,
					       __s64 status)
{
	if (is_inner(ctx) || table_refuses(status))
		return 0;
	*(__u64 *)key = 0;
	table_measure(table, key, measured);
	return 0;
}

SEC("uprobe")
int uobjnew_count_template(void *ctx)
{
	return uobjnew_count(ctx, &uobjnew_table, NULL, 0, 0);
}

SEC("uprobe")
int uobjnew_count_keyed_template(void *ctx)
{
	__u64 key = 0;

	return uobjnew_count_keyed(ctx, &uobjnew_table, &key, 0, 0);
}

SEC("uprobe")
int uobjnew_allocate_keyed_template(void *ctx)
{
	__u64 key = 0;

	return uobjnew_allocate_keyed(ctx, &uobjnew_table, &key, 0, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
