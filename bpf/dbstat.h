/* What crosses between dbstat's programs and its frontend. */
#pragma once

#include "lib/statement.h"

/* Whose value a slot of a histogram has; what was not asked for is empty. */
struct dbstat_key {
	struct statement_session session;
	__u32 slot;
	__u32 pad;
};
ABI_SIZE(dbstat_key, 136);
