/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes the kernel write the name of one of its addresses into `kernel_name`
 * (common/kernel/function_names.h). The frontend runs this once for each address and never attaches
 * it.
 */
#include "bpf/lib/bpf.h"

#include "bpf/shared/kernel_name.h"

__u64 kernel_name_address;
char kernel_name[KERNEL_NAME_BYTES];

SEC("raw_tp")
int kernel_name_write(void *ctx)
{
	static const char format[] = "%pS";

	return bpf_snprintf(kernel_name, sizeof(kernel_name), format, &kernel_name_address,
			    sizeof(kernel_name_address));
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
