/*
 * Distinguishes calls that the program makes to an allocation function from calls that another
 * allocation function makes.
 *
 * An allocation function often calls another one that also has a probe: operator new[] jumps to
 * operator new, which calls malloc; realloc calls malloc if there is no block yet. We must count
 * each request of the program once, at the outermost function. So we remember the last call of each
 * thread: the address of the function, and the stack pointer and return address at its entry. The
 * remembered call made the next call in two cases:
 *
 *     its function called the next one: the return address is shortly after its start;
 *     its function jumped to the next one: stack pointer and return address are the same, and the
 *     next one is not the function that the program itself called (that is a new call, in a loop).
 *
 * Two calls of the program at the same depth have different return addresses, unless it makes them
 * through one pointer that points to another function each time.
 */
#pragma once

#include "bpf/lib/site.bpf.h"

enum {
	INNER_CALL_THREADS = 16384,
	INNER_CALL_FUNCTION = 1024, /* bytes of the longest function that calls another one */
};

struct inner_call {
	__u64 function, stack, caller;
	__u64 outermost; /* the function that the program called */
	__u64 chance;	 /* a random number of 32 bits, the same in nested calls */
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, INNER_CALL_THREADS);
	__type(key, __u32);
	__type(value, struct inner_call);
} inner_call_threads SEC(".maps");

/* Returns the return address at a function's entry. */
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

static __always_inline bool inner_call_was_made_by(const struct inner_call *inner,
						   const struct inner_call *outer)
{
	if (inner->stack == outer->stack)
		return inner->caller == outer->caller && inner->function != outer->outermost;
	return inner->stack < outer->stack && inner->caller - outer->function < INNER_CALL_FUNCTION;
}

/* Call at a function's entry. Returns whether another allocation function called it. */
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
	is_inner = inner_call_was_made_by(&call, last);
	if (is_inner) {
		call.outermost = last->outermost;
		call.chance = last->chance;
	}
	*last = call;
	return is_inner;
}

/* Returns `chance` of the thread's last call, or a new random number if the map has dropped it. */
static __always_inline __u32 inner_call_chance(void)
{
	__u32 tid = bpf_get_current_pid_tgid();
	struct inner_call *last = bpf_map_lookup_elem(&inner_call_threads, &tid);

	return last ? last->chance : bpf_get_prandom_u32();
}
