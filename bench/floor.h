/* The record that the floor's programs send to its loader. */
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
