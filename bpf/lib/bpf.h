/*
 * Every BPF program of the suite includes this first.
 *
 * vmlinux.h provides types and constants, without CO-RE relocations: the kernel structures that we
 * read have fixed layouts (pt_regs and the helpers' structures are UAPI), and a single relocation
 * would cost 4-6 ms at each start, because libbpf then parses the kernel's BTF. A program that does
 * need a relocation declares it with __attribute__((preserve_access_index)).
 */
#pragma once

#define BPF_NO_PRESERVE_ACCESS_INDEX
#include <vmlinux.h>
#include <bpf/bpf_helpers.h>

#define NULL ((void *)0)
