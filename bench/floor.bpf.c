/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The floor, with which bench/run compares the tools: does the work of the measured probes, but
 * each program is written by hand in C for one function with one signature, and compiled by clang.
 */
#include "bpf/lib/bpf.h"

#include <bpf/bpf_tracing.h>

#include "bpf/lib/histogram.bpf.h"
#include "floor.h"

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 4 << 20); /* the size that trace uses */
} floor_events SEC(".maps");

__u64 floor_lost;

/*
 * Wake up the reader only when this much data is waiting, as trace does: a wakeup per event would
 * cost more than everything else.
 */
#define WAKEUP_BYTES (512 << 10)

static __always_inline int emit(int number, const char *text)
{
    struct floor_event *event = bpf_ringbuf_reserve(&floor_events, sizeof(*event), 0);
    __u64 ids, waiting;

    if (!event) {
        __sync_fetch_and_add(&floor_lost, 1);
        return 0;
    }
    ids = bpf_get_current_pid_tgid();
    event->ts_ns = bpf_ktime_get_ns();
    event->tgid = ids >> 32;
    event->tid = ids;
    bpf_get_current_comm(event->comm, sizeof(event->comm));
    event->number = number;
    event->text_bytes = bpf_probe_read_user_str(event->text, sizeof(event->text), text);
    waiting = bpf_ringbuf_query(&floor_events, BPF_RB_AVAIL_DATA);
    bpf_ringbuf_submit(event, waiting >= WAKEUP_BYTES ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
    return 0;
}

SEC("uprobe")
int empty(void *ctx __attribute__((unused)))
{
    return 0;
}

/*
 * The condition (number == -1). It is never true, nor is that of compare_text: both measure what a
 * rejected call costs.
 */
SEC("uprobe")
int compare(struct pt_regs *ctx)
{
    int number = PT_REGS_PARM1(ctx);

    if (number != -1)
        return 0;
    return emit(number, (const char *)PT_REGS_PARM3(ctx));
}

/*
 * (number >= 0 && value > 180 && value != 182 && text == "the text of an evenT"): three comparisons
 * that are true, and a string that differs at its end.
 */
SEC("uprobe")
int compare_text(struct pt_regs *ctx)
{
    /*
     * Compares 8 bytes at a time. Reads one byte more than the wanted string has, so that a longer
     * string has another length.
     */
    const union {
        char text[24];
        __u64 words[3];
    } wanted = {"the text of an evenT"};
    union {
        char text[24];
        __u64 words[3];
    } have = {};
    int number = PT_REGS_PARM1(ctx);
    long value = PT_REGS_PARM2(ctx);
    const char *text = (const char *)PT_REGS_PARM3(ctx);

    if (number < 0 || value <= 180 || value == 182)
        return 0;
    if (bpf_probe_read_user_str(have.text, 22, text) != 21)
        return 0;
    if ((have.words[0] ^ wanted.words[0]) | (have.words[1] ^ wanted.words[1]) |
        (have.words[2] ^ wanted.words[2]))
        return 0;
    return emit(number, text);
}

SEC("uprobe")
int event(struct pt_regs *ctx)
{
    return emit(PT_REGS_PARM1(ctx), (const char *)PT_REGS_PARM3(ctx));
}

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u64);
} floor_count SEC(".maps");

/* Counts calls. */
SEC("uprobe")
int count(void *ctx __attribute__((unused)))
{
    __u32 zero = 0;
    __u64 *calls = bpf_map_lookup_elem(&floor_count, &zero);

    if (calls)
        __sync_fetch_and_add(calls, 1);
    return 0;
}

/* The same, for a tracepoint. */
SEC("tracepoint")
int count_tracepoint(void *ctx)
{
    return count(ctx);
}

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, HISTOGRAM_SLOTS);
    __type(key, __u32);
    __type(value, struct histogram_slot);
} floor_slots SEC(".maps");

/* These functions exist since Linux 6.13. From 7.0 on, they have an argument. */
extern bool bpf_session_is_return(void) __ksym __weak;
extern __u64 *bpf_session_cookie(void) __ksym __weak;

/* Measures how long each call takes; the session's cookie keeps the time of the entry. */
SEC("uprobe")
int session_latency(void *ctx __attribute__((unused)))
{
    __u64 *started = bpf_session_cookie();

    if (!bpf_session_is_return()) {
        *started = bpf_ktime_get_ns();
    } else {
        __u64 took = bpf_ktime_get_ns() - *started;
        __u32 slot = histogram_slot_of(took);
        struct histogram_slot *value = bpf_map_lookup_elem(&floor_slots, &slot);

        if (value)
            histogram_count(value, took);
    }
    return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
