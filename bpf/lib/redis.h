/* Commands of Redis and Valkey servers: what crosses between lib/redis.bpf.h and user space. */
#pragma once

#include "lib/abi.h"

enum {
	REDIS_ARGUMENTS = 32,	     /* most that are shown */
	REDIS_BYTES = 8192,	     /* no argument begins behind these */
	REDIS_ARGUMENT_BYTES = 1024, /* most of one: a power of two */
	REDIS_ERROR_BYTES = 16,	     /* of an error's code, with a zero byte: WRONGTYPE */
};

/* Why a command is lost: keys of redis_lost. */
enum { REDIS_BUFFER_FULL, REDIS_CALLS_FULL, REDIS_LOST };

struct redis_config {
	__u64 wakeup_bytes;
	__u64 pidns_device; /* count ids in this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u64 min_ns;	      /* of commands that are measured from call()'s entry to its return */
	__u32 argument_bytes; /* most that are kept, up to REDIS_ARGUMENT_BYTES */
	__u32 arguments;
};
ABI_SIZE(redis_config, 40);

/* What a program gives the C half of a command. */
struct redis_key {
	__u64 unread; /* of argv and argc: why they are 0 */
	__u64 client;
	__u64 argv;
	__u64 argc;
	__u64 server; /* redis_server */
};
ABI_SIZE(redis_key, 40);

enum redis_server {
	REDIS_TEXTS_INSIDE = 1,	  /* a short text may be in its object, in place of the pointer */
	REDIS_REPORTS_ERRORS = 2, /* it is seen which commands fail */
};

/* Followed by `shown` arguments. */
struct redis_event {
	__u64 ts_ns; /* when it ended */
	__u64 took_us;
	__u64 client;
	__u32 tgid;
	__u32 tid;
	__u32 arguments;
	__u32 shown;
	__u32 bytes;	 /* of all that follows */
	__u32 is_secret; /* of the arguments only the name is to be shown */
	__u32 reports_errors;
	__u32 pad;
	char error[REDIS_ERROR_BYTES]; /* the code of its error; "": it has not failed */
};
ABI_SIZE(redis_event, 72);

enum redis_kind { REDIS_TEXT, REDIS_NUMBER, REDIS_UNREADABLE };

/* Followed by the text, as far as it is kept, and filled up to 8 bytes. */
struct redis_argument {
	__u32 kind;
	__u32 pad;
	__u64 length; /* of the whole text, or the number */
};
ABI_SIZE(redis_argument, 16);
