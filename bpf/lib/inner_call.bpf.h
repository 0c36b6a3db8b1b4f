/*
 * Which calls of allocation functions a program has made, and which were made by another such
 * function.
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
#pragma once

#include "lib/site.bpf.h"

enum {
	INNER_CALL_THREADS = 16384,
	INNER_CALL_FUNCTION = 1024, /* bytes of the longest function that asks another one */
};

struct inner_call {
	__u64 function, stack, caller;
	__u64 outermost; /* the function that the program called */
	__u64 chance;	 /* a random number of 32 bits that the calls have in common */
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, INNER_CALL_THREADS);
	__type(key, __u32);
	__type(value, struct inner_call);
} inner_call_threads SEC(".maps");

/* Where the function that is entered will return to. */
static __always_inline __u64 inner_call_caller(void *ctx)
{
#ifdef __TARGET_ARCH_x86
	__u64 caller = 0;

	bpf_probe_read_user(&caller, sizeof(caller), (void *)((struct pt_regs *)ctx)->sp);
	return caller;
#else
	return ((struct user_pt_regs *)ctx)->regs[30];
#endif
}

static __always_inline struct inner_call inner_call_of(void *ctx)
{
	struct inner_call call = {.function = site_address(ctx), .caller = inner_call_caller(ctx)};
#ifdef __TARGET_ARCH_x86
	call.stack = ((struct pt_regs *)ctx)->sp;
#else
	call.stack = ((struct user_pt_regs *)ctx)->sp;
#endif
	call.outermost = call.function;
	return call;
}

static __always_inline bool inner_call_was_asked_by(const struct inner_call *inner,
						    const struct inner_call *outer)
{
	if (inner->stack == outer->stack)
		return inner->caller == outer->caller && inner->function != outer->outermost;
	return inner->stack < outer->stack && inner->caller - outer->function < INNER_CALL_FUNCTION;
}

/* At the entry of one: was it asked by another? */
static __always_inline bool inner_call_enter(void *ctx)
{
	struct inner_call call = inner_call_of(ctx), *last;
	__u32 tid = bpf_get_current_pid_tgid();
	bool is_inner;

	call.chance = bpf_get_prandom_u32();
	last = bpf_map_lookup_elem(&inner_call_threads, &tid);
	if (!last) {
		bpf_map_update_elem(&inner_call_threads, &tid, &call, BPF_ANY);
		return false;
	}
	is_inner = inner_call_was_asked_by(&call, last);
	if (is_inner) {
		call.outermost = last->outermost;
		call.chance = last->chance;
	}
	*last = call;
	return is_inner;
}

/* The last one's; of a thread that was forgotten another. */
static __always_inline __u32 inner_call_chance(void)
{
	__u32 tid = bpf_get_current_pid_tgid();
	struct inner_call *last = bpf_map_lookup_elem(&inner_call_threads, &tid);

	return last ? last->chance : bpf_get_prandom_u32();
}
