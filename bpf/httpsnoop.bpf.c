/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* httpsnoop: HTTP messages of all programs (lib/http.bpf.h). */
#include "lib/bpf.h"
#include "lib/http_sockets.bpf.h"
#include "lib/probe.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
