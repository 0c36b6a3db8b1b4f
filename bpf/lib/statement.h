/* What crosses between the programs that time a database's statements and their frontends. */
#pragma once

#include "lib/abi.h"

enum {
	STATEMENT_NAME = 64,	/* bytes of a name, with its terminator: PostgreSQL's limit */
	STATEMENT_SHORT = 1024, /* bytes of a text that every statement under way has place for */
	STATEMENT_LONG = 65536, /* the most bytes of a text */
};

struct statement_config {
	__u64 min_ns;	    /* only statements that take so long */
	__u64 pidns_device; /* count ids in this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u64 commands[4];  /* MySQL's, a bit each: those that are wanted */
	__u32 wakeup_bytes; /* wake the reader when so many wait */
	__u32 text_bytes;   /* the most of a text; 0: texts are not wanted */
	__u8 steps;	    /* PostgreSQL's Parse, Bind and Sync, each by itself */
	__u8 by_database;
	__u8 by_user;
	__u8 texts_of_prepared; /* also what tells the texts of MySQL's prepared statements */
	__u8 names;		/* whose statement it is, of MySQL, too */
	__u8 pad[3];
};
ABI_SIZE(statement_config, 72);

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

/* Where a MySQL server has what it knows of a connection: offsets in its THD. 0: not known. */
struct statement_server {
	__u32 connection;	/* its number */
	__u32 connection_bytes; /* 4 or 8; 0: not known */
	__u32 reports_errors;	/* a program is attached where errors are sent */
	__u32 security;		/* a pointer to the security context */
	__u32 user;		/* there, a pointer to the user's name */
	__u32 database;		/* a pointer to the current database's name */
};
ABI_SIZE(statement_server, 24);

/* MySQL's numbers of commands (enum enum_server_command), beside PostgreSQL's letters of messages. */
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
	__u64 ts_ns;	     /* CLOCK_MONOTONIC: when it ended, */
	__u64 start_ns;	     /* and began */
	__u64 took_ns;	     /* without what a PostgreSQL server waited for its client */
	__u64 connection;    /* MySQL: the address of the THD, */
	__u64 prepared;	     /* and of the Prepared_statement; 0: none */
	__u64 connection_id; /* its number; 0: not known */
	__u64 length;	     /* of the whole text; 0: not known */
	__u32 tgid;
	__u32 tid;
	__u32 kind; /* of the message: PostgreSQL's letter, MySQL's number of the command */
	__u32 kept;
	__s32 unreadable;   /* -errno of reading the text; 1: it was not seen */
	__u32 statement_id; /* MySQL: the number of the prepared statement that is executed */
	__u32 error;	    /* that the client was sent: MySQL's number, of PostgreSQL 1; 0: none */
	char sqlstate[5];   /* with `error`, if known */
	__u8 is_cut;	    /* the text is longer than what is kept */
	__u8 depth;	    /* 0: a client's; else of calls of stored procedures */
	__u8 reports_errors; /* MySQL: whether `error` says anything */
	__u8 is_open;	     /* it had not ended when the tool did */
	__u8 pad[3];
	struct statement_session session;
};
ABI_SIZE(statement_event, 224);

enum { STATEMENT_UNSEEN_TEXT = 1 }; /* in `unreadable` */

/* A statement that is under way: of `statement_states`, */
struct statement_key {
	__u64 owner; /* the thread, or the address of MySQL's THD */
	__u32 tgid;
	__u32 depth; /* of calls of stored procedures */
};
ABI_SIZE(statement_key, 16);

struct statement_state {
	__u64 start_ns;		      /* 0: an Execute of PostgreSQL that waits for its Sync, */
	__u64 worked_ns;	      /* and took so long until then */
	__u64 caller;		      /* PostgreSQL: of the pq_getbyte() that gave the message */
	__u64 data;		      /* MySQL: of the packet, which a resumed command has, too */
	__u32 is_suspended;	      /* MySQL */
	__u32 has_long_text;	      /* in statement_long_texts */
	struct statement_event event; /* `kind` is 0 while no statement is under way */
	char text[STATEMENT_SHORT];
};
ABI_SIZE(statement_state, 1288);

/* and of `statement_long_texts`. */
struct statement_long_text {
	struct statement_event event;
	char text[STATEMENT_LONG + 1];
	char pad[7];
};
ABI_SIZE(statement_long_text, 65768);

/* Why a statement is lost: the counters of `statement_lost`. */
enum {
	STATEMENT_BUFFER_FULL,
	STATEMENT_NO_STATE,
	STATEMENT_TABLE_FULL,
	STATEMENT_CALLS_FULL, /* of functions whose returns are awaited */
	STATEMENT_LOST,
};
