/* Structures that the programs that time a database's statements share with their frontends. */
#pragma once

#include "bpf/lib/abi.h"

enum {
	STATEMENT_NAME = 64,	/* bytes of a name, with its terminator: PostgreSQL's limit */
	STATEMENT_SHORT = 1024, /* bytes of text that the state of every statement can hold */
	STATEMENT_LONG = 65536, /* maximum bytes of a text */
};

struct statement_config {
	__u64 min_ns;	    /* report only statements that take at least this long */
	__u64 pidns_device; /* process ids are those of this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u64 commands[4];  /* a bit for each of MySQL's commands: 1: report it */
	__u32 wakeup_bytes; /* wake the reader when this much is unread */
	__u32 text_bytes;   /* maximum of a text; 0: no texts */
	__u8 steps;	    /* report PostgreSQL's Parse, Bind and Sync separately */
	__u8 by_database;
	__u8 by_user;
	__u8 texts_of_prepared; /* MySQL: report all PREPAREs and QUITs, which the frontend needs */
	__u8 names;		/* read database and user, also from MySQL */
	__u8 pad[3];
};
ABI_SIZE(statement_config, 72);

/* The session that a thread serves; empty: not known. */
struct statement_session {
	char database[STATEMENT_NAME];
	char user[STATEMENT_NAME];
};
ABI_SIZE(statement_session, 128);

/*
 * Where PostgreSQL keeps the errors that it is handling, as distances from the probe's address. The
 * generated programs at AbortCurrentTransaction() and errfinish() pass this as `key`.
 */
struct statement_errors {
	__u64 depth;  /* distance to the index of the current error */
	__u64 codes;  /* distance to the packed SQLSTATE of the first error */
	__u64 stride; /* bytes from one SQLSTATE to the next; 0: not known */
};
ABI_SIZE(statement_errors, 24);

/* A MySQL server's data about a connection: offsets in its THD. 0: not known. */
struct statement_server {
	__u32 connection;	/* the connection's number */
	__u32 connection_bytes; /* size of the number: 4 or 8; 0: not known */
	__u32 reports_errors;	/* 1: a program is attached where the server sends errors */
	__u32 security;		/* a pointer to the security context */
	__u32 user;		/* in the security context: a pointer to the user's name */
	__u32 database;		/* a pointer to the current database's name */
};
ABI_SIZE(statement_server, 24);

/*
 * Values of `kind`: MySQL's command numbers (enum enum_server_command). PostgreSQL's are letters.
 */
enum {
	STATEMENT_QUIT = 1,
	STATEMENT_INIT_DB = 2,
	STATEMENT_QUERY = 3,
	STATEMENT_PREPARE = 22,
	STATEMENT_EXECUTE = 23,
	STATEMENT_LONG_DATA = 24,
	STATEMENT_CLOSE = 25,
	STATEMENT_RESET = 26,
	STATEMENT_FETCH = 28,
	STATEMENT_BULK_EXECUTE = 250,
	STATEMENT_MULTI = 254,
};

/* A statement that has ended. `kept` bytes of its text follow. */
struct statement_event {
	__u64 ts_ns;	     /* CLOCK_MONOTONIC: when it ended */
	__u64 start_ns;	     /* when it began */
	__u64 took_ns;	     /* without the time in which PostgreSQL waited for its client */
	__u64 connection;    /* MySQL: the address of the THD */
	__u64 prepared;	     /* MySQL: the address of the Prepared_statement; 0: none */
	__u64 connection_id; /* the connection's number; 0: not known */
	__u64 length;	     /* of the whole text; 0: not known */
	__u32 tgid;
	__u32 tid;
	__u32 kind; /* PostgreSQL: the message's letter; MySQL: the command's number */
	__u32 kept;
	__s32 unreadable;    /* 0, -errno of reading the text, or STATEMENT_UNSEEN_TEXT */
	__u32 statement_id;  /* MySQL: the number of the prepared statement that is executed */
	__u32 error;	     /* sent to the client: MySQL: its number; PostgreSQL: 1; 0: none */
	char sqlstate[5];    /* with `error`, if known */
	__u8 is_cut;	     /* the text is longer than `kept` */
	__u8 depth;	     /* of stored procedure calls; 0: the client's statement */
	__u8 reports_errors; /* MySQL: whether `error` is meaningful */
	__u8 is_open;	     /* the statement had not ended when the tool did */
	__u8 pad[3];
	struct statement_session session;
};
ABI_SIZE(statement_event, 224);

enum { STATEMENT_UNSEEN_TEXT = 1 }; /* `unreadable`: the tool has not seen the text */

/* Key of a statement under way, in `statement_states` and `statement_long_texts`. */
struct statement_key {
	__u64 owner; /* the thread, or the address of MySQL's THD */
	__u32 tgid;
	__u32 depth; /* of stored procedure calls */
};
ABI_SIZE(statement_key, 16);

/* Value in `statement_states`. */
struct statement_state {
	__u64 start_ns;	     /* 0: an Execute of PostgreSQL that waits for its Sync */
	__u64 worked_ns;     /* how long this Execute took, without its Sync */
	__u64 caller;	     /* PostgreSQL: caller of the pq_getbyte() that read the message */
	__u64 data;	     /* MySQL: address of the packet; a resumed command has the same */
	__u32 is_suspended;  /* MySQL */
	__u32 has_long_text; /* the text is in statement_long_texts */
	struct statement_event event; /* `kind` is 0 while no statement is under way */
	char text[STATEMENT_SHORT];
};
ABI_SIZE(statement_state, 1288);

/* Value in `statement_long_texts`. */
struct statement_long_text {
	struct statement_event event;
	char text[STATEMENT_LONG + 1];
	char pad[7];
};
ABI_SIZE(statement_long_text, 65768);

/* Why statements are lost: the counters of `statement_lost`. */
enum {
	STATEMENT_BUFFER_FULL,
	STATEMENT_NO_STATE,
	STATEMENT_TABLE_FULL,
	STATEMENT_CALLS_FULL, /* the map of calls under way was full */
	STATEMENT_LOST,
};
