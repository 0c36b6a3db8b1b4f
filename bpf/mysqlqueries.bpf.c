/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* mysqlqueries: every statement of a MySQL server (lib/statement.bpf.h). */
#include "lib/bpf.h"
#include "lib/statement_events.bpf.h"
#include "lib/statement_mysql.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
