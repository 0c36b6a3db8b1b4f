/*
 * Walks the frames of interpreters, which are in lists of their own (bpf/unwind/unwind.bpf.h), and
 * sends the names of their code.
 */
#pragma once

#include "bpf/lib/ids.bpf.h"
#include "bpf/unwind/unwind_contexts.bpf.h"
#include "bpf/unwind/unwind_walk.bpf.h"

/* Descriptions of interpreters, from index 1 on. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_interpreter);
} unwind_interpreters SEC(".maps");

/* Pieces of code whose names were sent. The key is a hash of the code and the process. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, __u8);
} unwind_named SEC(".maps");

static __always_inline const struct unwind_interpreter *
unwind_interpreter_of(const struct unwind_walk *walk)
{
	__u32 index = walk->interpreted.interpreter;

	return bpf_map_lookup_elem(&unwind_interpreters, &index);
}

static __always_inline __u64 unwind_code_word(const struct unwind_walk *walk, __u8 at)
{
	return walk->code_record[at / 8];
}

/* Reads code into walk->code_record and returns its hash. */
static __noinline __u64 unwind_read_code(struct unwind_walk *walk,
					 const struct unwind_interpreter *in, __u64 code)
{
	__u64 *texts = &walk->code_record[UNWIND_TEXTS], left;

	texts[0] = texts[1] = 0;
	if (bpf_probe_read_user(walk->code_record, in->check_bytes & (UNWIND_RECORD - 1),
				(void *)code + in->check_at)) {
		left = UNWIND_PAGE_LEFT(code + in->check_at);
		if (left < in->check_bytes)
			bpf_probe_read_user(walk->code_record, left & (UNWIND_RECORD - 1),
					    (void *)code + in->check_at);
	}
	if (in->text_at) {
		unwind_read(&texts[0], unwind_code_word(walk, in->name_at) + in->text_hash_at);
		unwind_read(&texts[1], unwind_code_word(walk, in->file_at) + in->text_hash_at);
	}
	return unwind_check(in, walk->code_record);
}

/* Returns the position of the current frame in its code. */
static __always_inline __u64 unwind_position(struct unwind_walk *walk,
					     const struct unwind_interpreter *in, __u64 code)
{
	__u64 position = unwind_frame_word(walk, in->position_at);

	if (walk->list.newest[0])
		position = walk->list.newest[0];
	walk->list.newest[0] = 0;
	if (in->line_at) {
		walk->list.read[0] = 0;
		bpf_probe_read_user(walk->list.read, sizeof(__u32), (void *)position + in->line_at);
		return walk->list.read[0];
	}
	position &= in->position_mask;
	if (in->start_at)
		position -= unwind_code_word(walk, in->start_at);
	else
		position -= (code + in->code_start) * in->is_address;
	return position >> (in->position_shift & 3);
}

/* Returns the address of the caller's frame, or 0. */
static __always_inline __u64 unwind_caller_frame(const struct unwind_walk *walk,
						 const struct unwind_interpreter *in)
{
	__u64 next = walk->list.next + in->stride;

	if (!in->stride)
		return unwind_frame_word(walk, in->previous_at);
	return next < walk->list.end ? next : 0;
}

/*
 * Adds a frame that executes `code`. Returns non-zero if there is no room. We read the count only
 * after the last function call, because Linux 5.10's verifier forgets the bounds of spilled values.
 */
static __always_inline int unwind_interpreted_add(struct unwind_walk *walk,
						  const struct unwind_interpreter *in, __u64 code,
						  __u8 mark)
{
	__u64 position = UNWIND_FRAME_NOWHERE, hash = unwind_read_code(walk, in, code);
	__u8 is_native = unwind_is_native(in, walk->code_record);
	__u64 count;

	if (!is_native)
		position = unwind_position(walk, in, code);
	if (position > UNWIND_FRAME_NOWHERE)
		position = UNWIND_FRAME_NOWHERE;
	if (in->context_bytes)
		position = unwind_context_position(walk, position, mark);
	code = code << 17 | position << 1;
	code |= (in->ends | (mark >> (in->mark_shift & 7) & in->ends_marks)) & (is_native ^ 1);
	count = walk->interpreted.count;
	if (count >= UNWIND_INTERPRETED) {
		walk->interpreted.end = UNWIND_DEEP;
		return 1;
	}
	walk->interpreted.checks[count] = UNWIND_CHECK_OF(hash);
	walk->interpreted.frames[count] = code;
	walk->interpreted.count = count + 1;
	walk->hash = UNWIND_CHECK_NEXT(walk->hash ^ hash, code);
	walk->hash ^= walk->hash >> 29;
	return 0;
}

/* Call at a frame that separates two loops: marks the frame before it as its loop's last. */
static __always_inline void unwind_interpreted_shim(struct unwind_walk *walk)
{
	__u64 before = walk->interpreted.count - 1ULL;

	if (before < UNWIND_INTERPRETED)
		walk->interpreted.frames[before] |= UNWIND_FRAME_ENDS;
}

/*
 * Sets list.read[0] to the code of the frame that was read, or to 0 if it is not shown. Returns
 * non-zero if unreadable.
 */
static __always_inline long unwind_frame_code(struct unwind_walk *walk,
					      const struct unwind_interpreter *in, __u8 mark)
{
	__u64 *code = walk->list.read;

	*code = unwind_frame_word(walk, in->code_at);
	if (mark < in->shim_mark)
		return in->body_at && *code ? unwind_read(code, *code + in->body_at) : 0;
	if (mark == in->shim_mark)
		unwind_interpreted_shim(walk);
	if (in->native_before && !*code && !(mark >> (in->mark_shift & 7) & in->ends_marks))
		return unwind_read(code, unwind_frame_word(walk, in->flags_at) - in->native_before);
	*code = 0;
	return 0;
}

/*
 * Reads the next frame: its code into list.read[0] (0: not shown) and its mark. Returns non-zero if
 * unreadable.
 */
static __always_inline long unwind_next_frame(struct unwind_walk *walk,
					      const struct unwind_interpreter *in)
{
	if (bpf_probe_read_user(walk->frame_record, in->frame_bytes & (UNWIND_RECORD - 1),
				(void *)walk->list.next))
		return 1;
	walk->list.next = unwind_caller_frame(walk, in);
	if (in->flags_at && unwind_read(&walk->frame_record[UNWIND_FLAGS_AT / 8],
					unwind_frame_word(walk, in->flags_at)))
		return 1;
	walk->list.mark = ((__u8 *)walk->frame_record)[in->mark_at & (UNWIND_RECORD - 1)];
	return unwind_frame_code(walk, in, walk->list.mark);
}

/*
 * Walks one frame of the interpreter in the walk `number`. Returns non-zero after the last one.
 * Global: see unwind_some().
 */
__noinline int unwind_interpreted_step(__u32 number)
{
	struct unwind_walk *walk = bpf_map_lookup_elem(&unwind_walks, &number);
	const struct unwind_interpreter *in;
	__u64 code;

	if (!walk)
		return 1;
	in = unwind_interpreter_of(walk);
	if (!in)
		return 1;
	walk->interpreted.end = UNWIND_UNREADABLE;
	if (in->context_bytes ? unwind_next_context(walk, in) : unwind_next_frame(walk, in))
		return 1;
	code = walk->list.read[0] & UNWIND_ADDRESS & ~7ULL;
	if (code && unwind_interpreted_add(walk, in, code, walk->list.mark))
		return 1;
	walk->interpreted.end = UNWIND_WHOLE;
	return !walk->list.next;
}

/*
 * Returns the value of a thread-local variable: glibc's thread pointer leads to a table, in which
 * each module has 16 bytes that begin with the address of its variables. Returns 0 if the thread
 * has not used the variable.
 */
static __always_inline __u64 unwind_thread_local(struct unwind_walk *walk,
						 const struct unwind_interpreter *in, __u64 thread)
{
	__u64 state;

	if (bpf_probe_read_user(walk->list.read, sizeof(walk->list.read), (void *)in->key) ||
	    unwind_read(&state, thread + 8) ||
	    unwind_read(&state, state + walk->list.read[0] * 16) ||
	    unwind_read(&state, state + walk->list.read[1] + in->values_at))
		return 0;
	return state;
}

/*
 * Returns the interpreter's state of the current thread, or 0 if it has none or it is unreadable.
 */
static __always_inline __u64 unwind_interpreter_state(struct unwind_walk *walk,
						      const struct unwind_interpreter *in)
{
	__u64 ids = bpf_get_current_pid_tgid(), thread, state, at;
	void *task = (void *)bpf_get_current_task();
	__u32 key;

	if (in->state_by == UNWIND_STATE_GLOBAL)
		return (__u32)ids == ids >> 32 ? in->key : 0;
	if (bpf_probe_read_kernel(&thread, sizeof(thread), task + in->thread_ptr_at))
		return 0;
	if (in->state_by == UNWIND_STATE_BY_MODULE)
		return unwind_thread_local(walk, in, thread);
	if (in->state_by == UNWIND_STATE_BY_OFFSET)
		return unwind_read(&state, thread + in->key) ? 0 : state;
	if (bpf_probe_read_user(&key, sizeof(key), (void *)in->key))
		return 0;
	at = thread + in->values_at;
	if (key >= 32 && (key >= 1024 || unwind_read(&at, thread + in->blocks_at + key / 32 * 8)))
		return 0;
	return unwind_read(&state, at + key % 32 * 16 + 8) ? 0 : state;
}

/*
 * Sets list.newest[0] to the position of the newest frame if a register contains it, else to 0. In
 * the loop, x86-64's r15 has the position if r14 has the frame, or the other way round with
 * is_swapped.
 */
static __always_inline void unwind_newest(struct unwind_walk *walk,
					  const struct unwind_interpreter *in, void *regs)
{
	__u64 *newest = walk->list.newest, first;

	newest[0] = 0;
	if (walk->stack.addresses[0] - in->loop_at >= in->loop_bytes ||
	    bpf_probe_read_kernel(newest, sizeof(walk->list.newest), regs))
		return;
	if (in->is_swapped) {
		first = newest[0];
		newest[0] = newest[1];
		newest[1] = first;
	}
	if (newest[1] != walk->list.next)
		newest[0] = 0;
}

/*
 * For frames in an array: sets list.end, without the oldest frame, which is not a
 * function's. Returns non-zero if the newest frame is not in the array.
 */
static __always_inline long unwind_frames_end(struct unwind_walk *walk,
					      const struct unwind_interpreter *in, __u64 state)
{
	const __u64 *stack = walk->list.read;

	if (bpf_probe_read_user(walk->list.read, sizeof(walk->list.read), (void *)state))
		return 1;
	walk->list.end = stack[0] + stack[1] * 8 - in->stride;
	return walk->list.next < stack[0] || walk->list.next >= walk->list.end;
}

/* Finds the newest frame of the thread. Returns non-zero if it has none or it is unreadable. */
static __noinline int unwind_interpreted_begin(struct unwind_walk *walk, void *regs)
{
	const struct unwind_interpreter *in = unwind_interpreter_of(walk);
	__u64 state;

	walk->interpreted.count = 0;
	if (!in)
		return 1;
	state = unwind_interpreter_state(walk, in);
	if (in->context_bytes)
		return !state || unwind_contexts_begin(walk, in, state);
	if (!state || unwind_read(&walk->list.next, state + in->current_at))
		return 1;
	if (in->has_inner) {
		state = walk->list.next;
		if (unwind_read(&walk->list.next, state + in->inner_at))
			return 1;
	}
	if (in->stride && unwind_frames_end(walk, in, state))
		return 1;
	unwind_newest(walk, in, regs);
	return !walk->list.next;
}

static __always_inline void unwind_interpreted(struct unwind_walk *walk, __u32 number, void *regs)
{
	if (unwind_interpreted_begin(walk, regs))
		return;
	for (__u32 i = 0; i < UNWIND_INTERPRETED_STEPS; i++)
		if (unwind_interpreted_step(number))
			return;
}

/*
 * Sends the names of a frame's code unless they were sent before. Unreadable names are empty: the
 * frontend also tries to read them. Returns non-zero if there is no room.
 */
static __noinline int unwind_name(struct unwind_walk *walk, const struct unwind_interpreter *in,
				  __u32 frame)
{
	__u64 code, hash, key, owner_name = 0;
	struct unwind_code *sent;
	__u8 yes = 1;

	if (frame >= UNWIND_INTERPRETED)
		return 1;
	code = UNWIND_FRAME_CODE(walk->interpreted.frames[frame]);
	hash = unwind_read_code(walk, in, code);
	key = UNWIND_CHECK_NEXT(hash ^ code, walk->interpreted.tgid);
	if (bpf_map_lookup_elem(&unwind_named, &key))
		return 0;
	sent = bpf_ringbuf_reserve(&unwind_misses, sizeof(*sent), 0);
	if (!sent)
		return 1;
	sent->ts_ns = bpf_ktime_get_ns();
	sent->hash = hash;
	sent->code = code;
	sent->tgid = walk->interpreted.tgid;
	sent->interpreter = walk->interpreted.interpreter;
	sent->head = walk->code_record[0];
	sent->name = unwind_code_word(walk, in->name_at);
	sent->owner = unwind_code_word(walk, in->owner_at);
	sent->file = unwind_code_word(walk, in->file_at);
	sent->after_file = unwind_code_word(walk, in->file_at + 8);
	unwind_read(&owner_name, sent->owner + in->owner_name_at);
	bpf_probe_read_user_str(sent->name_text, sizeof(sent->name_text),
				(void *)sent->name + in->text_at);
	bpf_probe_read_user_str(sent->owner_text, sizeof(sent->owner_text),
				(void *)owner_name + in->text_at);
	bpf_probe_read_user_str(sent->file_text, sizeof(sent->file_text),
				(void *)sent->file + in->text_at);
	bpf_ringbuf_submit(sent, 0);
	bpf_map_update_elem(&unwind_named, &key, &yes, BPF_ANY);
	return 0;
}

/*
 * Sends the names of UNWIND_AT_ONCE frames of the walk `number`, from index `first` on. Returns
 * non-zero after the last one. Global: see unwind_some().
 */
__noinline int unwind_name_some(__u32 number, __u32 first)
{
	struct unwind_walk *walk = bpf_map_lookup_elem(&unwind_walks, &number);
	const struct unwind_interpreter *in;

	if (!walk)
		return 1;
	in = unwind_interpreter_of(walk);
	if (!in || !in->text_at)
		return 1;
	for (__u32 i = 0; i < UNWIND_AT_ONCE; i++, first++)
		if (first >= walk->interpreted.count || unwind_name(walk, in, first))
			return 1;
	return 0;
}

/*
 * Sends the names of the newest frames before the stack itself; older frames live longer, so the
 * frontend reads theirs.
 */
static __always_inline void unwind_name_all(__u32 number)
{
	for (__u32 first = 0; first < UNWIND_NAMED; first += UNWIND_AT_ONCE)
		if (unwind_name_some(number, first))
			return;
}
