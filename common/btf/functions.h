// Finds functions by name in BTF, the kernel's type information. A BPF program that calls a
// function of the kernel (a kfunc) identifies it by the number that BTF gives to the function's
// type.
//
// The format (Documentation/bpf/btf.rst); all numbers have the machine's byte order:
//
//     header   u16 magic 0xeb9f, u8 version, u8 flags, u32 header length,
//              u32 type_off, type_len, str_off, str_len   (offsets from the header's end)
//     types    records one after the other, numbered from 1: u32 name (an offset in the strings),
//              u32 info (bits 0-15: number of members, 24-28: kind), u32 size, or number of
//              another type; then data that depend on the kind: 8 bytes for each parameter of a
//              FUNC_PROTO, for example
//     strings  NUL-terminated; the first is empty
//
// A function is a record of kind FUNC, which refers to a FUNC_PROTO with the parameters. The size
// of a record depends on its kind, so the records can only be read in sequence. libbpf first builds
// an index of them, which takes 4-6 ms for a kernel's BTF; the search here, for a few names, takes
// 1 ms.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace uscope::btf {

struct Function {
    uint32_t id = 0;          // the number of its FUNC record: what a BPF call instruction contains
    uint32_t parameters = 0;  // how many it has
};

// Returns the functions with these names, in the order of `names`; nullopt for each name that is
// not in `btf` (the bytes of /sys/kernel/btf/vmlinux). If `btf` is damaged, some or all are
// nullopt.
std::vector<std::optional<Function>> find_functions(Bytes btf,
                                                    const std::vector<std::string> &names);

}  // namespace uscope::btf
