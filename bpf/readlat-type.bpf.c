/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* readlat --by-type: an object of its own, for lib/file.bpf.h makes loading slower. */
#define READLAT_BY_TYPE
#include "readlat.bpf.c"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
