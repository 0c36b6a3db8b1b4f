/*
 * Traces HTTP/3 where libnghttp3 has its messages in clear: the functions of its interface get the
 * fields that a program sends, and its QPACK decoder returns those that were received, one a call.
 * We decode nothing, so a connection that was open before is as complete as a new one.
 *
 *     nghttp3_conn_read_stream()             what was received on a stream: the calls below are
 *     └ nghttp3_qpack_decoder_read_request() within it, and its result says how much was not body
 *     nghttp3_conn_submit_request(), _response(), _trailers()
 *     nghttp3_conn_writev_stream()           what is to be sent next, and whether it is the last
 *     nghttp3_conn_add_write_offset()        N bytes of it were sent
 *     nghttp3_conn_close_stream(), nghttp3_conn_del()
 *
 * The library never sees a socket. It gets its data from the thread that has received it before; if
 * that socket is connected, it has the peer's address.
 */
#pragma once

#include "bpf/http/http3_emit.bpf.h"

/*
 * Submits the field `index` of the head that this thread sends. Returns non-zero on failure.
 * Global, so that the verifier checks it once and not in each iteration of the loop.
 */
__noinline int http3_send_field(__u32 index)
{
	struct http3_thread *thread = http3_known_thread();
	struct http3_source source = {};
	struct http3_nv field;

	if (!thread)
		return 1;
	if (bpf_probe_read_user(&field, sizeof(field),
				(void *)(thread->fields + index * sizeof(field)))) {
		http_count_lost(HTTP_UNREADABLE);
		return 1;
	}
	source.connection = thread->to_connection;
	source.event.stream = thread->to_stream;
	http3_measure(&source.event, field.name_bytes, field.value_bytes);
	source.name = field.name;
	source.value = field.value;
	http3_emit_sent(&source);
	return 0;
}

/*
 * nghttp3_conn_submit_request(connection, stream, fields, count, …) and the like. Only programs of
 * entries: the arguments are in their registers.
 */
__hidden __noinline int http3_submit(void *ctx, void *table, void *key, __u64 measured,
				     __s64 status)
{
	struct pt_regs *registers = ctx;
	struct http3_source end = {};
	struct http3_thread *thread = http3_thread();
	__u64 count = PT_REGS_PARM4(registers);

	if (!thread)
		return 0;
	end.connection = thread->to_connection = PT_REGS_PARM1(registers);
	end.event.stream = thread->to_stream = PT_REGS_PARM2(registers);
	thread->fields = PT_REGS_PARM3(registers);
	for (__u32 i = 0; i < HTTP3_MOST_FIELDS; i++) {
		if (i >= count || http3_send_field(i))
			break;
	}
	if (count > HTTP3_MOST_FIELDS)
		http_count_lost(HTTP_FRAMES_CUT);
	end.event.what = HTTP3_FIELDS_END;
	return http3_emit_sent(&end);
}

/* nghttp3_conn_read_stream(connection, stream, bytes, count, is_end), at its entry. */
__hidden __noinline int http3_read(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	struct pt_regs *registers = ctx;
	struct http_key its = {.object = PT_REGS_PARM1(registers)};
	struct http3_thread *thread = http3_thread();
	struct http_connection *connection;

	if (!thread)
		return 0;
	thread->connection = its.object;
	thread->stream = PT_REGS_PARM2(registers);
	thread->begin_ns = bpf_ktime_get_ns();
	connection = http3_connection(&its);
	if (connection && thread->address.family)
		connection->address = thread->address;
	return 0;
}

/* At its end. `key`: its arguments, as the frontend passes them. */
struct http3_read_call {
	__u64 connection, stream, bytes, is_end;
};
__hidden __noinline int http3_read_end(void *ctx, void *table, void *key, __u64 measured,
				       __s64 status)
{
	struct http3_read_call *call = key;
	struct http3_thread *thread = http3_known_thread();
	__s64 consumed = site_result(ctx);
	struct http3_source source = {};
	struct http3_stream_key its = {};
	struct http3_stream *stream;

	if (thread)
		thread->connection = 0;
	if (!call) {
		http_count_lost(HTTP_CALLS_FULL);
		return 0;
	}
	if (consumed < 0 || call->stream & HTTP3_UNIDIRECTIONAL)
		return 0;
	its.connection = call->connection;
	its.stream = call->stream;
	stream = http3_stream(&its);
	if (!stream)
		return 0;
	stream->last_ns[HTTP_RECEIVED] = bpf_ktime_get_ns();
	if (call->bytes > (__u64)consumed)
		stream->received += call->bytes - consumed;
	if (!(__u32)call->is_end)
		return 0;
	source.connection = call->connection;
	source.event.stream = call->stream;
	source.event.received = stream->received;
	source.event.is_inexact = stream->was_blocked;
	source.event.what = HTTP3_END;
	return http3_emit_received(&source);
}

/*
 * nghttp3_qpack_decoder_read_request(decoder, context, field, flags, …), at its end. `field` is an
 * nghttp3_qpack_nv, which begins with two pointers to buffers; the frontend knows where a buffer
 * has its address and its length.
 */
struct http3_decode_call {
	__u64 context, field, flags, base_at, length_at;
};

static __always_inline bool http3_read_buffer(const struct http3_decode_call *call, __u64 at,
					      __u64 *base, __u64 *length)
{
	__u64 buffer = 0;

	return !bpf_probe_read_user(&buffer, sizeof(buffer), (void *)at) &&
	       !bpf_probe_read_user(base, sizeof(*base), (void *)(buffer + call->base_at)) &&
	       !bpf_probe_read_user(length, sizeof(*length), (void *)(buffer + call->length_at));
}

/*
 * Remembers which stream waits for the table, or finds out which one goes on. Returns false if that
 * is not known.
 */
static __always_inline bool http3_find_stream(__u64 context, bool is_blocked, __u64 connection,
					      __u64 *stream)
{
	struct http_key key = {.object = context, .tgid = bpf_get_current_pid_tgid() >> 32};
	struct http3_stream_key its = {.connection = connection};
	struct http3_stream *blocked;
	__u64 *waiting;

	if (*stream & HTTP3_UNIDIRECTIONAL) {
		waiting = bpf_map_lookup_elem(&http3_blocked, &key);
		if (!waiting)
			return false;
		*stream = *waiting;
	}
	if (!is_blocked)
		return true;
	bpf_map_update_elem(&http3_blocked, &key, stream, BPF_ANY);
	its.stream = *stream;
	blocked = http3_stream(&its);
	if (blocked)
		blocked->was_blocked = 1;
	return true;
}

__hidden __noinline int http3_decoded(void *ctx, void *table, void *key, __u64 measured,
				      __s64 status)
{
	struct http3_decode_call *call = key;
	struct http3_thread *thread = http3_known_thread();
	__s64 consumed = site_result(ctx);
	struct http3_source source = {};
	__u64 name = 0, value = 0;
	__u8 flags = 0;

	if (!thread || !thread->connection || consumed < 0)
		return 0;
	if (!call) {
		http_count_lost(HTTP_CALLS_FULL);
		return 0;
	}
	if (bpf_probe_read_user(&flags, sizeof(flags), (void *)call->flags)) {
		http_count_lost(HTTP_UNREADABLE);
		return 0;
	}
	source.connection = thread->connection;
	source.begin_ns = thread->begin_ns;
	source.event.stream = thread->stream;
	if (!http3_find_stream(call->context, flags & HTTP3_IS_BLOCKED, thread->connection,
			       &source.event.stream)) {
		http_count_lost(HTTP_CALL_UNKNOWN);
		return 0;
	}
	source.event.what = HTTP3_FIELDS_END;
	if (flags & HTTP3_HAS_ALL)
		return http3_emit_received(&source);
	if (flags & HTTP3_IS_BLOCKED || !consumed || !(flags & HTTP3_HAS_FIELD))
		return 0;
	if (!http3_read_buffer(call, call->field, &source.name, &name) ||
	    !http3_read_buffer(call, call->field + sizeof(__u64), &source.value, &value)) {
		http_count_lost(HTTP_UNREADABLE);
		return 0;
	}
	http3_measure(&source.event, name, value);
	return http3_emit_received(&source);
}

/* nghttp3_conn_writev_stream(connection, &stream, &is_end, pieces, …), at its end. */
struct http3_write_call {
	__u64 connection, stream, is_end, pieces;
};
__hidden __noinline int http3_write_end(void *ctx, void *table, void *key, __u64 measured,
					__s64 status)
{
	struct http3_write_call *call = key;
	struct http3_thread *thread = http3_thread();
	__s64 pieces = site_result(ctx);
	struct http3_stream_key its = {};
	struct http3_stream *stream;
	__u64 bytes = 0;
	__u32 is_end = 0;

	if (!call || !thread || pieces < 0 || pieces > HTTP3_MOST_PIECES ||
	    bpf_probe_read_user(&is_end, sizeof(is_end), (void *)call->is_end) || !is_end ||
	    bpf_probe_read_user(&its.stream, sizeof(its.stream), (void *)call->stream) ||
	    its.stream & HTTP3_UNIDIRECTIONAL)
		return 0;
	if (bpf_probe_read_user(thread->pieces, sizeof(thread->pieces[0]) * (pieces & 31),
				(void *)call->pieces))
		return 0;
	barrier_var(pieces);
#pragma unroll
	for (__u32 i = 0; i < HTTP3_MOST_PIECES; i++)
		bytes += i < pieces ? thread->pieces[i].bytes : 0;
	its.connection = call->connection;
	stream = http3_stream(&its);
	if (stream) {
		stream->to_send = bytes;
		stream->is_last = 1;
	}
	return 0;
}

/* nghttp3_conn_add_write_offset(connection, stream, bytes) */
__hidden __noinline int http3_sent(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	struct pt_regs *registers = ctx;
	struct http3_stream_key its = {.connection = PT_REGS_PARM1(registers),
				       .stream = PT_REGS_PARM2(registers)};
	struct http3_source source = {};
	struct http3_stream *stream;

	if (its.stream & HTTP3_UNIDIRECTIONAL)
		return 0;
	stream = http3_stream(&its);
	if (!stream)
		return 0;
	stream->last_ns[HTTP_SENT] = bpf_ktime_get_ns();
	if (!stream->is_last || stream->to_send != PT_REGS_PARM3(registers))
		return 0;
	stream->is_last = 0;
	source.connection = its.connection;
	source.event.stream = its.stream;
	source.event.what = HTTP3_END;
	return http3_emit_sent(&source);
}

/* nghttp3_conn_close_stream(connection, stream, code) */
__hidden __noinline int http3_close(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	struct pt_regs *registers = ctx;
	struct http3_stream_key its = {.connection = PT_REGS_PARM1(registers),
				       .stream = PT_REGS_PARM2(registers),
				       .tgid = bpf_get_current_pid_tgid() >> 32};
	struct http3_source source = {.connection = its.connection};
	struct http3_stream *stream = bpf_map_lookup_elem(&http3_streams, &its);

	if (its.stream & HTTP3_UNIDIRECTIONAL)
		return 0;
	if (stream) {
		source.event.received = stream->received;
		source.event.is_inexact = stream->was_blocked;
		source.event.last_ns[0] = stream->last_ns[0];
		source.event.last_ns[1] = stream->last_ns[1];
	}
	bpf_map_delete_elem(&http3_streams, &its);
	source.event.stream = its.stream;
	source.event.code = PT_REGS_PARM3(registers);
	source.event.what = HTTP3_CLOSED;
	return http3_emit_sent(&source);
}

TLS_TEMPLATE(http3_submit)
TLS_TEMPLATE(http3_read)
TLS_TEMPLATE(http3_sent)
TLS_TEMPLATE(http3_close)

#define HTTP3_TEMPLATE(function, structure)                                                        \
	SEC("template")                                                                            \
	int function##_template(void *ctx)                                                         \
	{                                                                                          \
		struct structure call = {};                                                        \
		return function(ctx, &http_events, &call, 0, 0);                                   \
	}
HTTP3_TEMPLATE(http3_read_end, http3_read_call)
HTTP3_TEMPLATE(http3_decoded, http3_decode_call)
HTTP3_TEMPLATE(http3_write_end, http3_write_call)
