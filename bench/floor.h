/* The record of a call, which the BPF programs of floor.bpf.c send to floor.c. */
#pragma once

#include "bpf/lib/abi.h"

struct floor_event {
    __u64 ts_ns;
    __u32 tgid;
    __u32 tid;
    char comm[16];
    __s32 number;
    __s32 text_bytes;
    char text[80];
};
ABI_SIZE(floor_event, 120);
