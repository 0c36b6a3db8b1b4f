/*
 * The state of HTTP/3 connections and of the threads that handle them, and their events
 * (bpf/http/http3.bpf.h).
 */
#pragma once

#include "bpf/http/http_tls.bpf.h"

enum {
	HTTP3_NAME = 256,	  /* most bytes of a field's name */
	HTTP3_MOST_FIELDS = 128,  /* of a head that is sent */
	HTTP3_MOST_PIECES = 16,	  /* of one nghttp3_conn_writev_stream() */
	HTTP3_UNIDIRECTIONAL = 2, /* bit of a stream's number */
	/* Flags of nghttp3_qpack_decoder_read_request(). */
	HTTP3_HAS_FIELD = 1,
	HTTP3_HAS_ALL = 2,
	HTTP3_IS_BLOCKED = 4,
};

/* nghttp3_nv and nghttp3_vec, which are public. */
struct http3_nv {
	__u64 name, value, name_bytes, value_bytes;
	__u64 flags;
};
struct http3_vec {
	__u64 base, bytes;
};

struct http3_thread {
	/* Of the nghttp3_conn_read_stream() under way; 0: none. */
	__u64 connection, stream, begin_ns;
	/* Of the head that is being sent: arguments of http3_send_field(). */
	__u64 to_connection, to_stream, fields;
	struct http3_vec pieces[HTTP3_MOST_PIECES];
	/* Of the socket from which it has received last. */
	struct http_address address;
	__u64 tgid;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct http3_thread);
} http3_threads SEC(".maps");

/* The initial value of a thread, which is too large for the stack. */
const __u64 http3_no_thread[sizeof(struct http3_thread) / sizeof(__u64)] = {};

struct http3_stream_key {
	__u64 connection, stream;
	__u32 tgid;
	__u32 pad;
};
struct http3_stream {
	__u64 received; /* bytes of the body */
	__u64 to_send;	/* bytes that end the stream, if `is_last` */
	__u64 last_ns[HTTP_DIRECTIONS];
	__u32 is_last;	   /* all bytes are with the transport once `to_send` more are */
	__u32 was_blocked; /* `received` includes bytes of heads */
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct http3_stream_key);
	__type(value, struct http3_stream);
} http3_streams SEC(".maps");

/*
 * Streams whose head waits for entries of QPACK's table. The decoder goes on when the entries come,
 * on another stream; its context identifies the stream that waits.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct http_key); /* the context */
	__type(value, __u64);	      /* the stream */
} http3_blocked SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32); /* tgid */
	__type(value, struct http_quic);
} http_quic SEC(".maps");

static __always_inline struct http_quic *http3_process(void)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	struct http_quic *known = bpf_map_lookup_elem(&http_quic, &tgid), begun = {};
	struct task_struct___http *task = (void *)bpf_get_current_task();

	if (known)
		return known;
	BPF_CORE_READ_INTO(&begun.comm, task, group_leader, comm);
	bpf_map_update_elem(&http_quic, &tgid, &begun, BPF_NOEXIST);
	return bpf_map_lookup_elem(&http_quic, &tgid);
}

/* The thread has sent a datagram that begins a QUIC connection. */
static __noinline int http3_count_datagram(void)
{
	struct http_quic *process = http3_process();

	if (process)
		__sync_fetch_and_add(&process->datagrams, 1);
	return 0;
}

static __always_inline struct http3_thread *http3_known_thread(void)
{
	__u64 ids = bpf_get_current_pid_tgid();
	__u32 tid = ids;
	struct http3_thread *thread = bpf_map_lookup_elem(&http3_threads, &tid);

	return thread && thread->tgid == ids >> 32 ? thread : NULL;
}

static __always_inline struct http3_thread *http3_thread(void)
{
	struct http3_thread *thread = http3_known_thread();
	__u64 ids = bpf_get_current_pid_tgid();
	__u32 tid = ids;

	if (thread)
		return thread;
	bpf_map_update_elem(&http3_threads, &tid, &http3_no_thread, BPF_ANY);
	thread = bpf_map_lookup_elem(&http3_threads, &tid);
	if (thread)
		thread->tgid = ids >> 32;
	return thread;
}

/*
 * The thread has received a datagram. Without a peer (a server's socket), the address of the socket
 * from which it received before is not right any more. Not inlined, to save the callers' stack.
 */
static __noinline int http3_received(struct sock___http *sock)
{
	struct http3_thread *thread = http3_known_thread();
	__u16 family;

	if (!thread || !sock || BPF_CORE_READ(sock, sk_type) != TYPE_DATAGRAM)
		return 0;
	family = BPF_CORE_READ(sock, __sk_common.skc_family);
	thread->address.family = 0;
	if (family == FAMILY_IPV4 || family == FAMILY_IPV6)
		http_read_address(sock, &thread->address);
	return 0;
}

/* Returns the connection, or NULL if the map is full. */
static __always_inline struct http_connection *http3_connection(struct http_key *key)
{
	struct http_connection *connection;
	struct http_quic *process;

	key->tgid = bpf_get_current_pid_tgid() >> 32;
	connection = http_connection_of(key);
	if (!connection || connection->kind == CONNECTION_HTTP3)
		return connection;
	if (connection->kind != CONNECTION_NEW) /* of another library, at the same address */
		tls_restart(key, connection);
	connection->kind = CONNECTION_HTTP3;
	process = http3_process();
	if (process)
		process->is_traced = 1;
	return connection;
}

static __always_inline struct http3_stream *http3_stream(struct http3_stream_key *key)
{
	struct http3_stream *stream, none = {};

	key->tgid = bpf_get_current_pid_tgid() >> 32;
	stream = bpf_map_lookup_elem(&http3_streams, key);
	if (stream)
		return stream;
	bpf_map_update_elem(&http3_streams, key, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&http3_streams, key);
}

struct http3_source {
	__u64 connection;
	__u64 begin_ns; /* 0: now */
	struct http3_event event;
	__u64 name, value; /* addresses */
};

static __always_inline void http3_submit_event(const struct http_event_source *source,
					       const struct http3_source *its, const __u64 room)
{
	struct http_transfer *event = HTTP_RESERVE(sizeof(struct http3_event) + HTTP3_NAME + room);
	__u64 name = its->event.name_bytes, value = its->event.value_bytes;
	struct http3_event *payload;
	char *text;

	if (!event) {
		http_count_lost(HTTP_BUFFER_FULL);
		return;
	}
	fill(event, source);
	fill_comm(event);
	payload = (void *)(event + 1);
	text = (char *)(payload + 1);
	*payload = its->event;
	if (value > room)
		value = room;
	barrier_var(name);
	barrier_var(value);
	if (name < HTTP3_NAME && value <= room) {
		if (bpf_probe_read_user(text, name, (void *)its->name) ||
		    bpf_probe_read_user(text + name, value, (void *)its->value)) {
			http_count_lost(HTTP_UNREADABLE);
			name = value = 0;
		}
		event->captured = sizeof(*payload) + name + value;
	}
	submit(event);
}

/* `direction` is a constant: Linux 5.10 forgets the bounds of a number on the stack. */
static __always_inline int http3_emit(struct http3_source *its, const __u8 direction)
{
	struct http_key key = {.object = its->connection};
	struct http_call_data moved = {.flags = HTTP_BY_TLS | HTTP_STREAMS,
				       .begin_ns = its->begin_ns,
				       .direction = direction};
	struct http_event_source source = {.key = &key, .moved = &moved, .flags = moved.flags};

	source.connection = http3_connection(&key);
	if (!source.connection)
		return 0;
	source.offset = source.connection->offset[direction];
	source.last_ns = source.connection->last_ns[direction];
	source.connection->last_ns[direction] = bpf_ktime_get_ns();
	source.connection->sequence[direction]++;
	if (its->event.what != HTTP3_FIELD)
		http3_submit_event(&source, its, 0);
	else if (its->event.value_bytes <= HTTP_FEW_BYTES)
		http3_submit_event(&source, its, HTTP_FEW_BYTES);
	else if (its->event.value_bytes <= HTTP_SOME_BYTES)
		http3_submit_event(&source, its, HTTP_SOME_BYTES);
	else
		http3_submit_event(&source, its, HTTP_MOST_BYTES);
	return 0;
}

/* Not inlined, because their callers have little stack left. */
static __noinline int http3_emit_received(struct http3_source *its)
{
	return http3_emit(its, HTTP_RECEIVED);
}
static __noinline int http3_emit_sent(struct http3_source *its)
{
	return http3_emit(its, HTTP_SENT);
}

/* Sets the lengths of a field; returns its name's, which is cut if it is too long. */
static __always_inline void http3_measure(struct http3_event *event, __u64 name, __u64 value)
{
	event->what = HTTP3_FIELD;
	event->name_bytes = name < HTTP3_NAME ? name : HTTP3_NAME - 1;
	event->value_bytes = value < 1 << 30 ? value : 1 << 30;
}
