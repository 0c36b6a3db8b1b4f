/* Walks the user stack from any site of a generated program. */
#pragma once

#include "bpf/lib/site.bpf.h"
#include "bpf/unwind/unwind.bpf.h"

static __always_inline __u64 unwind_user(void *ctx)
{
	if (site_is_in_kernel())
		return unwind_from_kernel();
	return site_is_outside_frames() ? unwind_at_entry(ctx) : unwind_inside(ctx);
}
