/* What crosses between mysqlqueries' programs and its frontend. */
#pragma once

#include "lib/abi.h"

enum {
	MYSQLQUERIES_SHORT = 1024, /* bytes of a text that every call under way has place for */
	MYSQLQUERIES_LONG = 65536, /* the most bytes of a text */
	MYSQLQUERIES_USER = 64,	   /* of a user's name, with its terminator */
};

struct mysqlqueries_config {
	__u64 min_ns;
	__u64 pidns_device; /* count ids in this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u64 commands[4];  /* a bit each: those to show */
	__u32 wakeup_bytes; /* wake the reader when so many wait */
	__u32 text_bytes;   /* the most of a text */
	__u8 user;	    /* the connection's user, too */
	__u8 pad[7];
};
ABI_SIZE(mysqlqueries_config, 72);

/* Where a server has what it knows of a connection: offsets in its THD. */
struct mysqlqueries_server {
	__u32 connection;	/* its number */
	__u32 connection_bytes; /* 4 or 8; 0: not known */
	__u32 tells_errors;	/* a program is attached where errors are sent */
	__u32 security;		/* a pointer to the security context; 0: not known */
	__u32 user;		/* there, a pointer to the user's name */
};
ABI_SIZE(mysqlqueries_server, 20);

/* A command, or a statement of a stored procedure, that has ended. `kept` bytes of text follow. */
struct mysqlqueries_event {
	__u64 ts_ns; /* CLOCK_MONOTONIC, of the end */
	__u64 latency_ns;
	__u64 thd;
	__u64 statement;  /* the address of the Prepared_statement; 0: none */
	__u64 connection; /* its number; 0: not known */
	__u32 tgid;
	__u32 tid;
	__u32 command;
	__u32 error;	    /* that the client was sent; 0: none */
	__u32 statement_id; /* of commands about a prepared statement */
	__u32 length;	    /* of the whole text */
	__u32 kept;
	__s32 unreadable;  /* -errno of reading the text */
	__u16 depth;	   /* 0: a client's command; else of calls of stored procedures */
	__u8 tells_errors; /* whether `error` says anything */
	char sqlstate[5];  /* with `error` */
	char user[MYSQLQUERIES_USER];
};
ABI_SIZE(mysqlqueries_event, 144);
