/* What the programs that see HTTP messages on their way hand over (lib/http.bpf.h). */
#pragma once

#include "lib/abi.h"

enum {
	HTTP_RECEIVED,
	HTTP_SENT,
	HTTP_DIRECTIONS,
};

enum {		      /* http_transfer.kind */
       HTTP_TRANSFER, /* bytes that were received or sent by one call */
       HTTP_CLOSED,   /* the connection has ended */
       HTTP_TLS,      /* a connection that is encrypted, told once */
       HTTP_TLS_UNSEEN, /* one of a socket has ended without that a library was seen; `rest`: its process */
};

enum {			/* http_transfer.flags */
       HTTP_BY_TLS = 1, /* in clear before or after a library has encrypted it */
       HTTP_FRAMES = 2, /* of HTTP/2 */
       HTTP_UNREAD = 4, /* where the bytes are is not known */
       HTTP_CUT = 8, /* HTTP/2: frames that are looked into are missing behind what is captured */
       HTTP_REQUESTS = 16, /* HTTP/2: by the client */
};

/*
 * HTTP/2's frames that are handed over whole, by their type: HEADERS, RST_STREAM, PUSH_PROMISE, CONTINUATION. Of DATA
 * that ends a stream it is the head; all others are left out.
 */
enum { HTTP_WHOLE_FRAMES = 1 << 1 | 1 << 3 | 1 << 5 | 1 << 9 };

/*
 * HTTP/2: in place of a frame, how many bytes of DATA of a stream have moved without another's between: the lower 24 bits
 * are the length, the upper 8 the flags. It follows the last of them. No frame has this type.
 */
enum { HTTP_DATA_MOVED = 0xfd };

/* The DATA that moved last, in place of the tail of HTTP/1. */
struct http_data {
	__u32 stream;
	__u32 bytes; /* modulo 2^32 */
};
ABI_SIZE(http_data, 8);

/* How many bytes of a call are handed over at most: of the three sizes the smallest that does. */
enum {
	HTTP_FEW_BYTES = 256,
	HTTP_SOME_BYTES = 1024,
	HTTP_MOST_BYTES = 16384,
};

/* A socket, or a connection of a TLS library in a process. */
struct http_key {
	__u64 object; /* where the kernel, or the process, has it */
	__u32 tgid;   /* 0: a socket */
	__u32 pad;
};
ABI_SIZE(http_key, 16);

struct http_address {
	__u16 family; /* 0: not known */
	__u16 local_port;
	__u16 remote_port;
	__u16 pad;
	__u32 netns;
	__u8 local[16]; /* IPv4: the first four */
	__u8 remote[16];
	__u32 pad2;
};
ABI_SIZE(http_address, 48);

struct http_transfer {
	__u64 ts_ns;	/* when the call was over, or the connection */
	__u64 begin_ns; /* when its bytes were handed over: what is sent by TLS is encrypted first */
	struct http_key key;
	/* How many bytes have moved before, when the last ones did, and what they are; by direction. */
	__u64 offset[HTTP_DIRECTIONS];
	__u64 last_ns[HTTP_DIRECTIONS];
	__u8 tail[HTTP_DIRECTIONS][8]; /* HTTP/2: an http_data */
	struct http_address address;
	__u32 tgid;
	__u32 tid;
	__u32 bytes; /* that the call has moved */
	__u32 captured; /* that follow: the first of these; of HTTP/2, the frames that are handed over */
	__u32 sequence[HTTP_DIRECTIONS]; /* of the transfers: one that is missing was lost */
	__u8 direction;
	__u8 kind;
	__u8 flags;
	__u8 pad;
	__u32 rest; /* HTTP/2: so many bytes were missing of the frame that was handed over last */
	char comm[16]; /* of the process, not of the thread */
};
ABI_SIZE(http_transfer, 176);

/* How far a connection has come, which the frontend asks for when it waits for the end of a message. */
struct http_connection {
	__u64 offset[HTTP_DIRECTIONS];
	__u64 last_ns[HTTP_DIRECTIONS];
	__u64 inode; /* of a unix socket: another one may come to lie at its place */
	__u64 other; /* of a socket: what TLS library's connection it carries; 0: none was seen */
	__u64 ended_ns;		     /* of a socket: when one of its ends has closed it */
	__u64 part[HTTP_DIRECTIONS]; /* HTTP/2: of a frame's head that the next call goes on with */
	__u32 rest[HTTP_DIRECTIONS]; /* HTTP/2: bytes to come of the frame under way */
	__u32 other_tgid; /* its process, or, while none was seen, the one that has sent or received TLS */
	__u32 sequence
		[HTTP_DIRECTIONS]; /* of the last transfer; threads may send and receive at the same time */
	__u16 left[HTTP_DIRECTIONS]; /* how many calls more may belong to a message's head */
	__u8 kind;
	__u8 misses;
	__u8 frames[HTTP_DIRECTIONS]; /* HTTP/2: what is known of them */
	__u8 parts[HTTP_DIRECTIONS];  /* how many bytes of a frame's head there are */
	__u8 pad[2];
	/* HTTP/1: the last bytes that moved, 0 if they are not known; HTTP/2: an http_data */
	__u8 tail[HTTP_DIRECTIONS][8];
	struct http_address address;
};
ABI_SIZE(http_connection, 168);

enum { /* http_lost: reasons */
       HTTP_BUFFER_FULL,
       HTTP_UNREADABLE, /* the call's memory could not be read */
       HTTP_NO_BUFFER,	/* io_uring, 32-bit programs: where the call's memory is is not known */
       HTTP_SPLICED, /* the first bytes of a connection were sent by splice(), from nobody's memory */
       HTTP_CALLS_FULL,	  /* no place for calls of TLS libraries under way */
       HTTP_CALL_UNKNOWN, /* a call of a TLS library has ended whose beginning was not seen */
       HTTP_QUIC, /* HTTP/3, and whatever else goes by QUIC: its connections begin with them */
       HTTP_PLACE_LOST, /* HTTP/2: where the next frame begins is not known from this call on */
       HTTP_FRAMES_CUT, /* HTTP/2: not all that is looked into could be handed over */
       HTTP_LOST,
};

struct http_config {
	__u64 wakeup_bytes;
	__u8 tls; /* libraries are probed */
	__u8 pad[7];
};
ABI_SIZE(http_config, 16);
