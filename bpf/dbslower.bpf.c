/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* dbslower: each statement of a database server that takes long enough (lib/statement.bpf.h). */
#include "lib/bpf.h"
#include "lib/statement_events.bpf.h"
#include "lib/statement_mysql.bpf.h"
#include "lib/statement_postgres.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
