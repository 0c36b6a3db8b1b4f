/* Events that a tool which only counts could not count: key of a per-CPU array of counters. */
#pragma once

enum table_lost {
	TABLE_FULL,	  /* no place for another key */
	TABLE_UNREADABLE, /* the value to be measured could not be read */
	TABLE_CALLS,	  /* no place to remember one more call that is under way */
	TABLE_LOST,	  /* how many counters there are */
};

/* Values of a counting function's `status`, besides 0 and -errno: see common/expr/compile.h. */
enum { TABLE_AT_ENTRY = 1 };
