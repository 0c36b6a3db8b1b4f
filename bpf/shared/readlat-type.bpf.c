/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* readlat --by-type: a separate object, because bpf/lib/file.bpf.h makes loading slower. */
#define READLAT_BY_TYPE
#include "bpf/readlat.bpf.c"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
