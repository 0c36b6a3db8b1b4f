/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* rediscommands: every command of a Redis or Valkey server (lib/redis.bpf.h). */
#include "lib/bpf.h"
#include "lib/redis.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
