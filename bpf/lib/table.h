/* Events that a tool which only counts could not count: key of a per-CPU array of counters. */
#pragma once

enum table_lost {
	TABLE_FULL,	  /* no place for another key */
	TABLE_UNREADABLE, /* the value to be measured could not be read */
	TABLE_CALLS,	  /* no place to remember one more call that is under way */
	TABLE_LOST,	  /* how many counters there are */
};

/* What a function that counts is told by its `status`, beside 0 and -errno: common/expr/program.h. */
enum { TABLE_AT_ENTRY = 1 };
