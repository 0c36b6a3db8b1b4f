// Functions by name in the kernel's type information, BTF: a program calls a kernel function
// (kfunc) by its type's number there.
//
// The format (Documentation/bpf/btf.rst), all numbers in the machine's byte order:
//
//     header   u16 magic 0xeb9f, u8 version, u8 flags, u32 header length,
//              u32 type_off, type_len, str_off, str_len   (offsets from the header's end)
//     types    one after the other, numbered from 1: u32 name (an offset in the strings),
//              u32 info (bits 0-15: how many members, 24-28: kind), u32 size or type,
//              then what the kind brings: 8 bytes a parameter of a FUNC_PROTO, for example
//     strings  NUL-terminated; the first is empty
//
// A FUNC names its FUNC_PROTO, which has the parameters. Types can be reached in order only; libbpf
// builds an index, which takes 4-6 ms for a kernel. Looking for a few names takes 1 ms.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace uscope::btf {

struct Function {
    uint32_t id = 0;          // of its type: what a call instruction holds
    uint32_t parameters = 0;  // how many
};

// The functions of these names, in their order: those that `btf` (such as the bytes of
// /sys/kernel/btf/vmlinux) has none of, or has damaged, are nothing.
std::vector<std::optional<Function>> find_functions(Bytes btf,
                                                    const std::vector<std::string> &names);

}  // namespace uscope::btf
