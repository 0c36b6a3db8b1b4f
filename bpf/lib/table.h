/* Why a counting tool could not count an event: keys of table_lost, a per-CPU array of counters. */
#pragma once

enum table_lost {
	TABLE_FULL,	  /* the table was full */
	TABLE_UNREADABLE, /* the value to be measured could not be read */
	TABLE_CALLS,	  /* the map of calls under way was full */
	TABLE_LOST,	  /* the number of counters */
};

/* Values of a counting function's `status`, besides 0 and -errno: see common/expr/compile.h. */
enum { TABLE_AT_ENTRY = 1 };
