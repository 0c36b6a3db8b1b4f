// Finds functions by name in the kernel's type information, BTF. A BPF program calls a kernel
// function (kfunc) by the number of its type there.
//
// The format (Documentation/bpf/btf.rst); all numbers have the machine's byte order:
//
//     header   u16 magic 0xeb9f, u8 version, u8 flags, u32 header length,
//              u32 type_off, type_len, str_off, str_len   (offsets from the header's end)
//     types    one after the other, numbered from 1: u32 name (an offset in the strings),
//              u32 info (bits 0-15: number of members, 24-28: kind), u32 size or type, then
//              data that depends on the kind, such as 8 bytes per parameter of a FUNC_PROTO
//     strings  NUL-terminated; the first is empty
//
// A FUNC refers to its FUNC_PROTO, which has the parameters. Types can only be read in sequence.
// libbpf builds an index, which takes 4-6 ms for a kernel; searching for a few names takes 1 ms.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace uscope::btf {

struct Function {
    uint32_t id = 0;          // the number of its type, used in call instructions
    uint32_t parameters = 0;  // the number of parameters
};

// Returns the functions with these names, in the same order; nullopt for names that `btf` (such as
// the bytes of /sys/kernel/btf/vmlinux) does not have. If `btf` is damaged, some or all are
// nullopt.
std::vector<std::optional<Function>> find_functions(Bytes btf,
                                                    const std::vector<std::string> &names);

}  // namespace uscope::btf
