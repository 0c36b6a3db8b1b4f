/* Events that a tool which only counts could not count: key of a per-CPU array of counters. */
#pragma once

enum table_lost {
	TABLE_FULL,	  /* no place for another key */
	TABLE_UNREADABLE, /* the value to be measured could not be read */
	TABLE_CALLS,	  /* too many calls under way: no place to remember another one's entry */
	TABLE_LOST,	  /* how many counters there are */
};
