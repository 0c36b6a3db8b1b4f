/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * stackcount: the C half of its programs, whose mains are generated (common/expr/program.h,
 * Sink::Key).
 *
 * A stack is kept once, in a map of stacks, and is a number from then on: its hash, cut to the size
 * of the map. A place in that map has room for one stack, and a second one that falls on it is
 * refused: of 1,500 stacks in 8192 places some 130. Those are walked once more, for a longer hash of
 * their addresses, by which they are kept in an ordinary hash map. Only when that is full is an
 * event counted without its stack.
 */
#include "lib/bpf.h"
#include "stackcount.h"
#include "lib/ids.bpf.h"
#include "lib/probe.bpf.h"
#include "lib/stack.bpf.h"
#include "lib/table.bpf.h"

const volatile struct stackcount_config stackcount_config = {};

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 1); /* --stacks */
	__uint(key_size, 4);
	__uint(value_size, STACK_KEY_FRAMES * 8);
} stackcount_stacks SEC(".maps");

struct stackcount_frames {
	__u64 addresses[STACK_KEY_FRAMES];
};
static const struct stackcount_frames no_frames = {};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* half of them */
	__type(key, __u32);
	__type(value, struct stackcount_frames);
} stackcount_more_stacks SEC(".maps");

/* Only for the templates, which are never attached; the frontend makes the real one. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct stack_key);
	__type(value, __u64);
} stackcount_counts SEC(".maps");

/* 30 bits of FNV-1a, over words. In pieces, as all addresses are more than a program's stack holds. */
static __always_inline __u32 stack_hash(void *ctx, __u64 flags)
{
	__u64 piece[16], hash = 0xcbf29ce484222325;

	for (__u32 skip = 0; skip < STACK_KEY_FRAMES; skip += 16) {
		__s64 bytes = bpf_get_stack(ctx, piece, sizeof(piece), flags | skip);

		for (__u32 i = 0; i < 16 && (__s64)(i * 8) < bytes; i++)
			hash = (hash ^ piece[i]) * 0x100000001b3;
		if (bytes < (__s64)sizeof(piece))
			break;
	}
	return (hash ^ hash >> 32) & (STACK_KEY_MORE - 1);
}

static __noinline __s32 stack_id(void *ctx, __u64 flags)
{
	__s64 id = bpf_get_stackid(ctx, &stackcount_stacks, flags);
	struct stackcount_frames *frames;
	__u32 hash;

	if (id >= 0 || id == STACK_KEY_NONE)
		return id;
	hash = stack_hash(ctx, flags);
	if (!bpf_map_lookup_elem(&stackcount_more_stacks, &hash)) {
		bpf_map_update_elem(&stackcount_more_stacks, &hash, &no_frames, BPF_NOEXIST);
		frames = bpf_map_lookup_elem(&stackcount_more_stacks, &hash);
		if (!frames)
			return id;
		bpf_get_stack(ctx, frames, sizeof(*frames), flags);
	}
	return hash | STACK_KEY_MORE;
}

static __always_inline void set_user(struct stack_key *key, void *ctx)
{
	key->tgid =
		ids_current(stackcount_config.pidns_device, stackcount_config.pidns_inode) >> 32;
	key->user_id = stack_id(ctx, BPF_F_USER_STACK);
}

/*
 * The four functions that a generated main may call, by what it is attached to. They have no key
 * of the main's, and measure nothing.
 *
 * Where the kernel's walk is right: in user space, but for the first and the return instruction of
 * functions.
 */
__hidden __noinline int stackcount_inside(void *ctx, void *table, void *key, __u64 measured,
					  __s64 status)
{
	struct stack_key stack = {.kernel_id = STACK_KEY_NONE};

	set_user(&stack, ctx);
	table_count(table, &stack);
	return 0;
}

/* There. */
__hidden __noinline int stackcount_entry(void *ctx, void *table, void *key, __u64 measured,
					 __s64 status)
{
	struct stack_key stack = {.kernel_id = STACK_KEY_NONE};

	stack.caller = stack_top_of_uprobe(ctx);
	set_user(&stack, ctx);
	table_count(table, &stack);
	return 0;
}

static __always_inline int count_in_kernel(void *ctx, void *table, __u64 caller)
{
	struct stack_key stack = {.user_id = STACK_KEY_NONE, .kernel_id = STACK_KEY_NONE};

	if (stackcount_config.user_stack)
		set_user(&stack, ctx);
	if (stackcount_config.kernel_stack) {
		stack.caller = caller;
		stack.kernel_id = stack_id(ctx, 0);
	}
	table_count(table, &stack);
	return 0;
}

/* In the kernel: tracepoints and functions. */
__hidden __noinline int stackcount_kernel(void *ctx, void *table, void *key, __u64 measured,
					  __s64 status)
{
	return count_in_kernel(ctx, table, 0);
}

/* At the first instruction of its functions, on arm64. */
__hidden __noinline int stackcount_kernel_entry(void *ctx, void *table, void *key, __u64 measured,
						__s64 status)
{
	return count_in_kernel(ctx, table, stack_top(ctx));
}

SEC("uprobe")
int stackcount_inside_template(void *ctx)
{
	return stackcount_inside(ctx, &stackcount_counts, NULL, 0, 0);
}

SEC("uprobe")
int stackcount_entry_template(void *ctx)
{
	return stackcount_entry(ctx, &stackcount_counts, NULL, 0, 0);
}

SEC("uprobe")
int stackcount_kernel_template(void *ctx)
{
	return stackcount_kernel(ctx, &stackcount_counts, NULL, 0, 0);
}

SEC("uprobe")
int stackcount_kernel_entry_template(void *ctx)
{
	return stackcount_kernel_entry(ctx, &stackcount_counts, NULL, 0, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
