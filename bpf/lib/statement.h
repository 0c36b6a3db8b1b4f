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
	__u8 steps;	  /* PostgreSQL's Parse and Bind, too */
	__u8 by_database;
	__u8 by_user;
	__u8 pad;
};
ABI_SIZE(statement_config, 40);

/* Whom a thread serves; empty: not known. */
struct statement_session {
	char database[STATEMENT_NAME];
	char user[STATEMENT_NAME];
};
ABI_SIZE(statement_session, 128);

/* Followed by the text, cut to statement_config.text_bytes. */
struct statement_event {
	__u64 ts_ns; /* when it ended */
	__u64 took_ns;
	__u32 tgid;
	__u32 tid;
	__u32 kind;	  /* of the message: PostgreSQL's letter, MySQL's number of the command */
	__s32 text_bytes; /* of the text, as far as it is known; or -errno */
	__u64 length;	  /* of the whole text, when the server says it; else 0 */
	struct statement_session session;
};
ABI_SIZE(statement_event, 168);

/* Why a statement is lost: the counters of `statement_lost`. */
enum { STATEMENT_BUFFER_FULL, STATEMENT_NO_STATE, STATEMENT_TABLE_FULL, STATEMENT_LOST };
