/* What crosses between rediscommands' program and its frontend. */
#pragma once

#include "lib/abi.h"

enum {
	REDISCOMMANDS_ARGUMENTS = 32,	     /* most that are shown */
	REDISCOMMANDS_BYTES = 8192,	     /* no argument begins behind these */
	REDISCOMMANDS_ARGUMENT_BYTES = 1024, /* most of one: a power of two */
};

struct rediscommands_config {
	__u64 wakeup_bytes;
	__u64 pidns_device; /* count ids in this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u32 argument_bytes; /* most that are kept, up to REDISCOMMANDS_ARGUMENT_BYTES */
	__u32 arguments;
};
ABI_SIZE(rediscommands_config, 32);

/* Followed by `shown` arguments. */
struct rediscommands_event {
	__u64 ts_ns; /* when it ended */
	__u64 took_us;
	__u64 client;
	__u32 tgid;
	__u32 tid;
	__u32 arguments;
	__u32 shown;
	__u32 bytes; /* of all that follows */
	__u32 pad;
};
ABI_SIZE(rediscommands_event, 48);

enum rediscommands_kind { REDISCOMMANDS_TEXT, REDISCOMMANDS_NUMBER, REDISCOMMANDS_UNREADABLE };

/* Followed by the text, as far as it is kept, and filled up to 8 bytes. */
struct rediscommands_argument {
	__u32 kind;
	__u32 pad;
	__u64 length; /* of the whole text, or the number */
};
ABI_SIZE(rediscommands_argument, 16);
