/*
 * Commands of Redis and Valkey servers: structures that bpf/servers/redis.bpf.h shares with user
 * space.
 */
#pragma once

#include "bpf/lib/abi.h"

enum {
	REDIS_ARGUMENTS = 32,	     /* at most this many are shown */
	REDIS_BYTES = 8192,	     /* arguments that would begin after this offset are not kept */
	REDIS_ARGUMENT_BYTES = 1024, /* maximum for one argument: a power of two */
	REDIS_ERROR_BYTES = 16, /* maximum of an error's code, such as WRONGTYPE, and its NUL */
};

/* Why a command is lost: keys of redis_lost. */
enum { REDIS_BUFFER_FULL, REDIS_CALLS_FULL, REDIS_LOST };

struct redis_config {
	__u64 wakeup_bytes;
	__u64 pidns_device; /* process ids are those of this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u64 min_ns;	      /* report only commands that take this long, if call() is measured */
	__u32 argument_bytes; /* maximum to keep of an argument, up to REDIS_ARGUMENT_BYTES */
	__u32 arguments;      /* maximum to keep, up to REDIS_ARGUMENTS */
};
ABI_SIZE(redis_config, 40);

/* The values of a command that a generated main passes to the C functions. */
struct redis_key {
	__u64 unread; /* not 0: argv or argc could not be read and are 0 */
	__u64 client;
	__u64 argv;
	__u64 argc;
	__u64 server; /* redis_server */
};
ABI_SIZE(redis_key, 40);

enum redis_server {
	REDIS_TEXTS_INSIDE = 1,	  /* an object may contain a short text, without a pointer */
	REDIS_REPORTS_ERRORS = 2, /* a probe reports failed commands */
};

/* Followed by `shown` arguments. */
struct redis_event {
	__u64 ts_ns; /* when the command ended */
	__u64 took_us;
	__u64 client;
	__u32 tgid;
	__u32 tid;
	__u32 arguments;
	__u32 shown;
	__u32 bytes;	 /* of all arguments that follow */
	__u32 is_secret; /* show only the command's name, not its arguments */
	__u32 reports_errors;
	__u32 pad;
	char error[REDIS_ERROR_BYTES]; /* the error's code; "": the command has not failed */
};
ABI_SIZE(redis_event, 72);

enum redis_kind { REDIS_TEXT, REDIS_NUMBER, REDIS_UNREADABLE };

/* Followed by the kept part of the text, padded to a multiple of 8 bytes. */
struct redis_argument {
	__u32 kind;
	__u32 pad;
	__u64 length; /* of the whole text, or the number */
};
ABI_SIZE(redis_argument, 16);
