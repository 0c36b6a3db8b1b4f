/*
 * The stacks at the site of a generated program, as a key or a part of one, for tools that count by
 * stacks (stacks/counted_stacks.h). A key with more fields begins with 8 bytes of the tool's own,
 * and the stacks follow.
 */
#pragma once

#include "bpf/lib/ids.bpf.h"
#include "bpf/unwind/site_stacks.h"
#include "bpf/unwind/stacks.bpf.h"
#include "bpf/unwind/unwind_site.bpf.h"

const volatile struct stack_choice stack_choice = {};

static __always_inline __u32 site_process(void)
{
	__u32 tgid = ids_current(stack_choice.pidns_device, stack_choice.pidns_inode) >> 32;

	return tgid || bpf_get_current_pid_tgid() ? tgid : STACK_KEY_IDLE;
}

static __always_inline void site_stacks(void *ctx, struct stack_key *key)
{
	key->user_id = UNWIND_NONE;
	key->caller = 0;
	key->tgid = stack_choice.user || stack_choice.process ? site_process() : 0;
	key->kernel_id = STACK_KEY_NONE;
	if (stack_choice.user)
		key->user_id = unwind_user(ctx);
	if (site_is_in_kernel() && stack_choice.kernel) {
		key->caller = site_is_outside_frames() ? stack_top(ctx) : 0;
		key->kernel_id = stacks_id(ctx);
	}
}
