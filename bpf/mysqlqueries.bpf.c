/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* mysqlqueries: every statement of a MySQL server (bpf/servers/statement.bpf.h). */
#include "bpf/lib/bpf.h"
#include "bpf/servers/statement_events.bpf.h"
#include "bpf/servers/statement_mysql.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
