/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* rediscommands: every command of a Redis or Valkey server (bpf/servers/redis.bpf.h). */
#include "bpf/lib/bpf.h"
#include "bpf/servers/redis.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
