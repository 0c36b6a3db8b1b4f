/*
 * What every BPF program of the suite includes first.
 *
 * vmlinux.h is used for its types and constants, without CO-RE relocations: none of what we read of
 * the kernel moves (pt_regs and the helpers' structures are UAPI), and one relocation would cost
 * 4-6 ms at each start for parsing the kernel's BTF. A program that does need one says so with
 * __attribute__((preserve_access_index)).
 */
#pragma once

#define BPF_NO_PRESERVE_ACCESS_INDEX
#include <vmlinux.h>
#include <bpf/bpf_helpers.h>

#define NULL ((void *)0)
