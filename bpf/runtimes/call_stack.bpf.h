/*
 * The calls under way of each thread.
 *
 * A runtime has one probe for entering and one for leaving a method, both with the method's names.
 * To match returns with entries, we keep a stack of calls for each thread:
 *
 *     threads   {thread}         -> number of calls under way, and the lowest UCALLS_NEAR of them
 *     frames    {thread, level}  -> the method's id, its entry time, whether it is the outermost
 *     outermost {thread, id}     -> the level of the method's outermost call
 *
 * A thread is a kernel thread or a virtual thread, whose calls may return on another kernel thread
 * (bpf/runtimes/virtual_thread.h). Virtual threads come by the thousand, so all their calls are in
 * `frames`.
 *
 * A return belongs to the innermost call of its method. Calls above it were left without a return -
 * in some runtimes, by an exception - and we drop them. There may be many: a method that rescues
 * one exception after another leaves behind a call of Ruby's Kernel#raise each time. So we search
 * the innermost UCALLS_UNWOUND calls, and if none matches, the return belongs to the method's
 * outermost call. If the method has no call at all, it was entered before tracing began, and we
 * ignore its return.
 *
 * No probe reports the calls that a fatal error of PHP abandons before the server goes on with the
 * next request. But in PHP each call runs further down the stack than its caller. So when a call
 * begins, all calls that are not above it on the stack have ended.
 *
 * We delete a call when it returns, and a thread when it ends. Other leftovers stay until the LRU
 * maps drop the least recently used entries. If one of those was a call under way after all, its
 * return finds a hole in the stack and is counted as lost.
 */
#pragma once

#include "bpf/lib/table.bpf.h"
#include "bpf/runtimes/virtual_thread.h"

enum {
	UCALLS_NEAR = 32, /* a power of two */
	UCALLS_UNWOUND = 64,
	UCALLS_UNWOUND_OF_NONE = 16, /* if the method has no known outermost call */
	UCALLS_STACK_BYTES = 64 << 20,
	UCALLS_UNDER_WAY = 65536,
	UCALLS_THREADS = 65536,
};

struct ucalls_level {
	__u64 thread;
	__u64 level;
};
struct ucalls_frame {
	__u64 id;
	__u64 since_ns;
	__u64 stack; /* the stack pointer, if calls nest on the stack; else 0 */
	__u64 is_outermost;
};
struct ucalls_thread_method {
	__u64 id;
	__u64 thread;
};

struct ucalls_thread {
	__u32 levels;
	__u32 pad;
	struct ucalls_frame near[UCALLS_NEAR];
};
const volatile char ucalls_new_thread[sizeof(struct ucalls_thread)] = {};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, UCALLS_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, struct ucalls_thread);
} ucalls_threads SEC(".maps");
/*
 * Virtual threads with calls under way. An LRU map, because no probe reports that one has ended,
 * for example with its process.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, UCALLS_THREADS);
	__type(key, __u64);
	__type(value, __u32);
} ucalls_virtual_threads SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, UCALLS_UNDER_WAY);
	__type(key, struct ucalls_level);
	__type(value, struct ucalls_frame);
} ucalls_frames SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, UCALLS_UNDER_WAY);
	__type(key, struct ucalls_thread_method);
	__type(value, __u32);
} ucalls_outermost SEC(".maps");

/* The calls of a thread that are under way. */
struct ucalls_stack {
	__u64 thread;
	__u32 *levels;		   /* the number of calls; NULL: the thread has no entry */
	struct ucalls_frame *near; /* the lowest ones; NULL: all calls are in ucalls_frames */
};

static __always_inline bool is_near(const struct ucalls_stack *stack, __u32 level)
{
	return stack->near && level < UCALLS_NEAR;
}

static __always_inline struct ucalls_frame *near_frame(const struct ucalls_stack *stack,
						       __u32 level)
{
	/* Keeps the compiler from dropping the mask, the only bound that the verifier sees. */
	asm volatile("" : "+r"(level));
	return &stack->near[level & (UCALLS_NEAR - 1)];
}

static __always_inline struct ucalls_frame *frame_at(const struct ucalls_stack *stack, __u32 level)
{
	struct ucalls_level key = {.thread = stack->thread, .level = level};

	if (is_near(stack, level))
		return near_frame(stack, level);
	return bpf_map_lookup_elem(&ucalls_frames, &key);
}

/*
 * Returns the level of the method's outermost call below `levels` if it is not near, or -1 if none
 * is known.
 */
static __always_inline __s64 outermost_level(const struct ucalls_stack *stack, __u64 id,
					     __u32 levels)
{
	struct ucalls_thread_method key = {.id = id, .thread = stack->thread};
	struct ucalls_level outer = {.thread = stack->thread};
	struct ucalls_frame *frame;
	__u32 *found = bpf_map_lookup_elem(&ucalls_outermost, &key);

	if (!found || *found >= levels || is_near(stack, *found))
		return -1;
	outer.level = *found;
	frame = bpf_map_lookup_elem(&ucalls_frames, &outer);
	return frame && frame->id == id ? (__s64)outer.level : -1;
}

/* Returns the lowest near frame of the method below `levels`, or NULL. */
static __always_inline struct ucalls_frame *outermost_near(const struct ucalls_stack *stack,
							   __u64 id, __u32 levels, __u32 *level)
{
	struct ucalls_frame *frame;

	if (!stack->near)
		return NULL;
#pragma clang loop unroll(disable)
	for (*level = 0; *level < UCALLS_NEAR && *level < levels; (*level)++) {
		frame = near_frame(stack, *level);
		if (frame->id == id)
			return frame;
	}
	return NULL;
}

/*
 * Returns whether a call of the method is under way below `level`. If not, this call becomes its
 * outermost.
 */
static __always_inline bool is_inner(const struct ucalls_stack *stack, __u64 id, __u32 level)
{
	struct ucalls_thread_method key = {.id = id, .thread = stack->thread};
	__u32 found;

	if (outermost_near(stack, id, level, &found))
		return true;
	if (is_near(stack, level))
		return false;
	if (outermost_level(stack, id, level) >= 0)
		return true;
	bpf_map_update_elem(&ucalls_outermost, &key, &level, BPF_ANY);
	return false;
}

/*
 * Returns whether the call at this level has ended, given that one begins at stack pointer `sp`.
 * Fibers have other stacks, far away.
 */
static __always_inline bool has_ended(const struct ucalls_stack *stack, __u32 level, __u64 sp)
{
	struct ucalls_frame *frame = frame_at(stack, level);

	return frame && frame->stack && sp - frame->stack < UCALLS_STACK_BYTES;
}

/* Returns the number of calls still under way when one begins at stack pointer `sp`. */
static __always_inline __u32 still_under_way(const struct ucalls_stack *stack, __u64 sp)
{
	__u32 levels = *stack->levels;

	if (levels && has_ended(stack, 0, sp))
		return 0;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < UCALLS_UNWOUND; i++) {
		if (levels == 0 || !has_ended(stack, levels - 1, sp))
			break;
		levels--;
	}
	return levels;
}

static __always_inline __u64 stack_pointer(void *ctx)
{
	__u64 value = 0;
#ifdef __TARGET_ARCH_x86
	__u32 at = offsetof(struct pt_regs, sp);
#else
	__u32 at = offsetof(struct user_pt_regs, sp);
#endif

	bpf_probe_read_kernel(&value, sizeof(value), ctx + at);
	return value;
}

static __always_inline __u64 this_thread(__u64 virtual_thread)
{
	__u64 ids = bpf_get_current_pid_tgid();

	return virtual_thread ? virtual_thread_key(ids >> 32, virtual_thread) : (__u32)ids;
}

static __always_inline struct ucalls_stack stack_of(__u64 thread)
{
	struct ucalls_stack stack = {.thread = thread};
	struct ucalls_thread *known;

	if (thread & VIRTUAL_THREAD_KEY) {
		stack.levels = bpf_map_lookup_elem(&ucalls_virtual_threads, &thread);
		return stack;
	}
	known = bpf_map_lookup_elem(&ucalls_threads, &thread);
	if (known) {
		stack.levels = &known->levels;
		stack.near = known->near;
	}
	return stack;
}

static __always_inline struct ucalls_stack new_stack_of(__u64 thread)
{
	__u32 zero = 0;

	if (thread & VIRTUAL_THREAD_KEY)
		bpf_map_update_elem(&ucalls_virtual_threads, &thread, &zero, BPF_ANY);
	else
		bpf_map_update_elem(&ucalls_threads, &thread, (void *)ucalls_new_thread, BPF_ANY);
	return stack_of(thread);
}

/* `sp` is the stack pointer, or 0 if calls do not nest on the stack. */
static __always_inline void push(__u64 thread, __u64 id, __u64 sp)
{
	struct ucalls_frame frame = {.id = id, .stack = sp};
	struct ucalls_level key = {.thread = thread};
	struct ucalls_stack stack = stack_of(thread);

	if (!stack.levels)
		stack = new_stack_of(thread);
	if (!stack.levels) {
		table_count_lost(TABLE_CALLS);
		return;
	}
	if (sp)
		*stack.levels = still_under_way(&stack, sp);
	key.level = (*stack.levels)++;
	frame.is_outermost = !is_inner(&stack, id, key.level);
	frame.since_ns = bpf_ktime_get_ns();
	if (is_near(&stack, key.level)) {
		*near_frame(&stack, key.level) = frame;
		return;
	}
	if (bpf_map_update_elem(&ucalls_frames, &key, &frame, BPF_ANY))
		table_count_lost(TABLE_CALLS);
}

/* Copies the call at a level to `call` and returns whether it is one of the method. */
static __always_inline bool is_call_of(const struct ucalls_stack *stack, __u32 level, __u64 id,
				       struct ucalls_frame *call, bool *has_hole)
{
	struct ucalls_frame *frame = frame_at(stack, level);

	if (!frame) {
		*has_hole = true;
		return false;
	}
	*call = *frame;
	return call->id == id;
}

/* Like find(), for a stack whose calls are all near. */
static __always_inline __s64 find_near(const struct ucalls_stack *stack, __u64 id, __u32 level,
				       struct ucalls_frame *call)
{
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < UCALLS_NEAR; i++) {
		if (level == 0)
			break;
		level--;
		if (near_frame(stack, level)->id == id) {
			*call = *near_frame(stack, level);
			return level;
		}
	}
	return -1;
}

/*
 * Copies the innermost call of the method to `call` and returns its level, or -1 if there is none.
 */
static __always_inline __s64 find(const struct ucalls_stack *stack, __u64 id,
				  struct ucalls_frame *call)
{
	__u32 level = *stack->levels, max = UCALLS_UNWOUND_OF_NONE, lowest;
	struct ucalls_frame *frame;
	__s64 outermost;
	bool has_hole = false;

	if (stack->near && level <= UCALLS_NEAR)
		return find_near(stack, id, level, call);
	outermost = outermost_level(stack, id, level);
	if (stack->near || outermost >= 0)
		max = UCALLS_UNWOUND;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < UCALLS_UNWOUND; i++) {
		if (i >= max || level == 0)
			break;
		level--;
		if (is_call_of(stack, level, id, call, &has_hole))
			return level;
	}
	frame = outermost_near(stack, id, level, &lowest);
	if (frame) {
		*call = *frame;
		return lowest;
	}
	if (outermost >= 0 && is_call_of(stack, outermost, id, call, &has_hole))
		return outermost;
	if (has_hole)
		table_count_lost(TABLE_CALLS);
	return -1;
}

/* Pops the innermost call of the method, with all above it. Returns false if there is none. */
static __always_inline bool pop(__u64 thread, __u64 id, struct ucalls_frame *call)
{
	struct ucalls_thread_method method = {.id = id, .thread = thread};
	struct ucalls_level key = {.thread = thread};
	struct ucalls_stack stack = stack_of(thread);
	__s64 level;

	if (!stack.levels || !*stack.levels)
		return false;
	level = find(&stack, id, call);
	if (level < 0)
		return false;
	*stack.levels = key.level = level;
	if (!level && thread & VIRTUAL_THREAD_KEY)
		bpf_map_delete_elem(&ucalls_virtual_threads, &thread);
	if (is_near(&stack, level))
		return true;
	bpf_map_delete_elem(&ucalls_frames, &key);
	if (call->is_outermost)
		bpf_map_delete_elem(&ucalls_outermost, &method);
	return true;
}
