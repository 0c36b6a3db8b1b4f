/* What crosses between the programs that time a database's statements and their frontends. */
#pragma once

#include "lib/abi.h"

enum {
	STATEMENT_NAME = 64,		/* bytes of a name: PostgreSQL's limit */
	STATEMENT_NO_TEXT = -(1 << 30), /* in place of `text_bytes`: none was seen yet */
	STATEMENT_LONGEST = 1 << 30,	/* of `text_bytes` */
};

struct statement_config {
	__u64 min_ns; /* only statements that take so long */
	__u64 wakeup_bytes;
	__u64 pidns_device; /* count ids in this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u32 text_bytes; /* most bytes of a text that are kept */
	__u8 steps;	  /* PostgreSQL's Parse, Bind and Sync, each by itself */
	__u8 by_database;
	__u8 by_user;
	__u8 tells_texts; /* also what tells the texts of MySQL's prepared statements */
};
ABI_SIZE(statement_config, 40);

/* Whom a thread serves; empty: not known. */
struct statement_session {
	char database[STATEMENT_NAME];
	char user[STATEMENT_NAME];
};
ABI_SIZE(statement_session, 128);

/*
 * What a program at AbortCurrentTransaction() or in errfinish() gives: where PostgreSQL keeps the
 * errors that it is dealing with, by distance from the place of the probe.
 */
struct statement_errors {
	__u64 depth;  /* of the number of the current one */
	__u64 codes;  /* of the packed SQL state of the first one, */
	__u64 stride; /* and from one to the next; 0: not known */
};
ABI_SIZE(statement_errors, 24);

/* What a program at dispatch_command() gives. */
struct statement_command {
	__u64 unread; /* of the two pointers: why they are 0 */
	__u64 connection;
	__u64 data;	/* the text, or the packet; or a COM_DATA */
	__u64 length;	/* of a packet */
	__u64 database; /* pointers to the names; 0: not known */
	__u64 user;
};
ABI_SIZE(statement_command, 48);

/* MySQL's numbers of commands, beside PostgreSQL's letters of messages. */
enum {
	STATEMENT_QUIT = 1,
	STATEMENT_QUERY = 3,
	STATEMENT_PREPARE = 22,
	STATEMENT_EXECUTE = 23,
	STATEMENT_BULK_EXECUTE = 250,
};

/* Followed by the text, cut to statement_config.text_bytes. */
struct statement_event {
	__u64 ts_ns;	  /* when it began */
	__u64 took_ns;	  /* without what a PostgreSQL server waited for its client */
	__u64 connection; /* MySQL: the address of the THD, */
	__u64 statement;  /* and of the Prepared_statement; 0: none */
	__u32 tgid;
	__u32 tid;
	__u32 kind;	    /* of the message: PostgreSQL's letter, MySQL's number of the command */
	__s32 text_bytes;   /* of the text, as far as it is known; or -errno */
	__u64 length;	    /* of the whole text, when the server says it; else 0 */
	__u32 statement_id; /* MySQL: the number of the prepared statement that is executed */
	__u32 error;	    /* that the client was sent: MySQL's number, of PostgreSQL 1; 0: none */
	char sqlstate[5];   /* with `error`, if known */
	__u8 pad[3];
	struct statement_session session;
};
ABI_SIZE(statement_event, 200);

/* Why a statement is lost: the counters of `statement_lost`. */
enum { STATEMENT_BUFFER_FULL, STATEMENT_NO_STATE, STATEMENT_TABLE_FULL, STATEMENT_LOST };
