/* The records and state of the programs that trace HTTP messages (bpf/http/http.bpf.h). */
#pragma once

#include "bpf/lib/abi.h"

enum {
	HTTP_RECEIVED,
	HTTP_SENT,
	HTTP_DIRECTIONS,
};

enum {		      /* http_transfer.kind */
       HTTP_TRANSFER, /* bytes that one call received or sent */
       HTTP_CLOSED,   /* the connection has ended */
       HTTP_TLS,      /* sent once: this connection is encrypted */
       /* An encrypted socket has ended that no probed library used; its process is in
	* `frame_bytes_missing`. */
       HTTP_TLS_UNSEEN,
       /* A connection on trial (http_tried): its socket has moved bytes, or a function of the TLS
	* library plaintext; then `begin_ns` has the socket (0: not known). */
       HTTP_TLS_RECORDS,
       HTTP_TLS_PLAINTEXT,
};

enum {			   /* http_transfer.flags */
       HTTP_BY_TLS = 1,	   /* plaintext, from the call of a TLS library */
       HTTP_FRAMES = 2,	   /* the payload has frames of HTTP/2 */
       HTTP_UNREAD = 4,	   /* no payload: the address of the bytes is not known */
       HTTP_CUT = 8,	   /* HTTP/2: chosen frames are missing after the payload */
       HTTP_REQUESTS = 16, /* HTTP/2: sent by the client */
       HTTP_STREAMS = 32,  /* HTTP/3: the payload is an http3_event */
};

/*
 * The types of HTTP/2 frames that we copy whole: HEADERS, RST_STREAM, PUSH_PROMISE, CONTINUATION.
 * If a DATA frame ends a stream, we copy its head. We copy no other frames.
 */
enum { HTTP_WHOLE_FRAMES = 1 << 1 | 1 << 3 | 1 << 5 | 1 << 9 };

/*
 * HTTP/2: the type of a pseudo frame that we insert after successive DATA frames of one stream. It
 * has the number of their bytes: the lower 24 bits in the length field, the upper 8 in the flags
 * field. No real frame has this type.
 */
enum { HTTP_DATA_MOVED = 0xfd };

/*
 * The last successive DATA frames of one stream. HTTP/2 keeps this in `tail`, where HTTP/1 keeps
 * the last bytes that moved.
 */
struct http_data {
	__u32 stream;
	__u32 bytes; /* modulo 2^32 */
};
ABI_SIZE(http_data, 8);

/* HTTP/3: what has happened on a stream. */
enum {			 /* http3_event.what */
       HTTP3_FIELD,	 /* a field of a head or trailer; its name and value follow */
       HTTP3_FIELDS_END, /* that was the last field */
       HTTP3_END,	 /* this direction has ended */
       HTTP3_CLOSED,	 /* the program closes the stream */
};
struct http3_event {
	__u64 stream;
	__u64 received; /* HTTP3_END, HTTP3_CLOSED: bytes of the body */
	/* HTTP3_CLOSED: when the last bytes moved; 0: none did */
	__u64 last_ns[HTTP_DIRECTIONS];
	__u64 code;	   /* HTTP3_CLOSED: the error code */
	__u32 value_bytes; /* HTTP3_FIELD: the value's length, of which less may follow */
	__u16 name_bytes;
	__u8 what;
	__u8 is_inexact; /* `received` includes bytes of heads */
};
ABI_SIZE(http3_event, 48);

/* The processes that began QUIC connections. */
struct http_quic {
	__u64 datagrams; /* that began connections */
	char comm[16];
	__u8 is_traced; /* a library of HTTP/3 was seen at work */
	__u8 pad[7];
};
ABI_SIZE(http_quic, 32);

/* The maximum payload of a record: the smallest of these sizes that is sufficient. */
enum {
	HTTP_FEW_BYTES = 256,
	HTTP_SOME_BYTES = 1024,
	HTTP_MOST_BYTES = 16384,
};

/* A socket, or a connection of a TLS library in a process. */
struct http_key {
	__u64 object; /* its address in the kernel or in the process */
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
	__u64 ts_ns; /* when the call or the connection ended */
	/*
	 * When the call began, if a TLS library sends the bytes: it encrypts them before. Otherwise
	 * `ts_ns`.
	 */
	__u64 begin_ns;
	struct http_key key;
	/*
	 * By direction, and before this call: how many bytes have moved, when the last of them
	 * moved, and the last 8 of them.
	 */
	__u64 offset[HTTP_DIRECTIONS];
	__u64 last_ns[HTTP_DIRECTIONS];
	__u8 tail[HTTP_DIRECTIONS][8]; /* HTTP/2: an http_data */
	struct http_address address;
	__u32 tgid;
	__u32 tid;
	__u32 bytes; /* number of bytes that the call moved */
	/* Payload bytes after this struct: the first of `bytes`; HTTP/2: the chosen frames. */
	__u32 captured;
	__u32 sequence[HTTP_DIRECTIONS]; /* number of the transfer: a gap means that one was lost */
	__u8 direction;
	__u8 kind;
	__u8 flags;
	__u8 pad;
	__u32 frame_bytes_missing; /* HTTP/2: of the last copied frame, before this payload */
	char comm[16];		   /* of the process, not of the thread */
};
ABI_SIZE(http_transfer, 176);

/* The state of a connection. The frontend reads it when it waits for the end of a message. */
struct http_connection {
	__u64 offset[HTTP_DIRECTIONS];
	__u64 last_ns[HTTP_DIRECTIONS];
	/*
	 * The kernel may reuse the address of a socket. Of a unix socket: its inode. Of a
	 * connection of rustls: when it was first seen, in ns.
	 */
	__u64 inode;
	/*
	 * For a socket: the connection of a TLS library that it carries. For a connection of a TLS
	 * library: its socket. 0: not known.
	 */
	__u64 other;
	__u64 ended_ns;		     /* for a socket: when one of its ends closed it */
	__u64 part[HTTP_DIRECTIONS]; /* HTTP/2: the beginning of an incomplete frame head */
	__u32 frame_bytes_left[HTTP_DIRECTIONS]; /* HTTP/2: bytes of the current frame to come */
	/*
	 * For a socket: the process of `other` or, while `other` is 0, the process that sent or
	 * received TLS.
	 */
	__u32 other_tgid;
	/*
	 * Number of the last transfer, by direction because threads may send and receive at the
	 * same time.
	 */
	__u32 sequence[HTTP_DIRECTIONS];
	__u16 left[HTTP_DIRECTIONS]; /* HTTP/1: calls that may still belong to a message's head */
	__u8 kind;
	__u8 misses;		      /* calls that did not look like HTTP */
	__u8 frames[HTTP_DIRECTIONS]; /* HTTP/2: FRAMES_REQUESTS ... */
	__u8 parts[HTTP_DIRECTIONS];  /* HTTP/2: bytes of the frame's head in `part` */
	__u8 greets; /* TLS: the first record that was seen is a greeting that was sent */
	__u8 tries;  /* transfers that are still to be submitted, because it is on trial */
	/* HTTP/1: the last bytes that moved, 0 if they are not known; HTTP/2: an http_data */
	__u8 tail[HTTP_DIRECTIONS][8];
	struct http_address address;
};
ABI_SIZE(http_connection, 168);

enum { /* http_lost: reasons */
       HTTP_BUFFER_FULL,
       HTTP_UNREADABLE,	    /* the call's memory could not be read */
       HTTP_NO_BUFFER,	    /* io_uring, 32 bits: the call's memory is not known */
       HTTP_SPLICED,	    /* splice() sent the connection's first bytes, not from user memory */
       HTTP_CALLS_FULL,	    /* the map of TLS library calls under way was full */
       HTTP_CALL_UNKNOWN,   /* the start of a TLS library's call was not seen, only its end */
       HTTP_SOCKET_UNKNOWN, /* rustls: the socket of the connection was not found */
       HTTP_ORDER_LOST,	    /* HTTP/2: the start of the next frame is not known from here on */
       HTTP_FRAMES_CUT,	    /* HTTP/2: not all chosen frames could be copied */
       HTTP_LOST,
};

/* How many transfers of a connection on trial are submitted: of its socket, and of plaintext. */
enum { HTTP_TRIES = 32 };

struct http_config {
	__u64 wakeup_bytes;
	__u8 tls; /* TLS libraries are probed */
	__u8 pad[7];
};
ABI_SIZE(http_config, 16);
