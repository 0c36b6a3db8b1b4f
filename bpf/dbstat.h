/* Structures that dbstat's programs share with its frontend. */
#pragma once

#include "bpf/servers/statement.h"

/* Key of a histogram's slot; names that were not requested are empty. */
struct dbstat_key {
	struct statement_session session;
	__u32 slot;
	__u32 pad;
};
ABI_SIZE(dbstat_key, 136);
