/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* httpsnoop: the HTTP messages of all programs (bpf/http/http.bpf.h). */
#include "bpf/lib/bpf.h"
#include "bpf/http/http_sockets.bpf.h"
#include "bpf/http/http_tls_go.bpf.h"
#include "bpf/lib/probe.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
