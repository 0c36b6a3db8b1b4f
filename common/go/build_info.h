// Finds the version of Go that built a program: its calling convention depends on it.
//
// The linker leaves a note for `go version` in the section .go.buildinfo, or else at a multiple of
// 16 near the start of the first writable segment:
//
//     ff ' Go buildinf:'   14 bytes
//     08                   size of a pointer
//     02                   flags: 1 big-endian, 2 the strings follow (Go >= 1.18)
//     …                    up to byte 32
//     08 'go1.19.8'        length as a varint (7 bits a byte, low ones first), version
//     b1 02 '…'            the same for the modules it was built from
//
// Before Go 1.18, two pointers follow the flags instead, each to a pointer and a length:
//
//     16  40 31 55 00 …    0x553140: e0 d4 4b 00 …  08 00 …     0x4bd4e0: 'go1.17.2'
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>

#include "elf/image.h"

namespace uscope::go {

struct Version {
    unsigned major = 0, minor = 0;

    auto operator<=>(const Version &) const = default;
};

// Older versions have not been checked.
constexpr Version oldest_known = {1, 15};

// Parses "go1.19.8", "go1.22rc1", "devel go1.20-3de5b3f Mon Aug  1 …". Returns nullopt for other
// texts.
std::optional<Version> parse_version(std::string_view text);

// Returns the text of the version in the note. `memory`: reads the program by virtual address.
using Memory = std::function<std::optional<Bytes>(uint64_t vaddr, uint64_t length)>;
std::optional<std::string> version_in(Bytes note, const Memory &memory);

// The same for a file. Returns nullopt if it has no such note, or a damaged one.
std::optional<std::string> built_by(const elf::Image &image);

std::optional<Version> version_of(const elf::Image &image);

// Do its functions pass arguments and results in registers, and keep the goroutine in one? True
// since Go 1.17, on x86-64. (Assembly still passes them on the stack.)
bool passes_in_registers(const elf::Image &image);

}  // namespace uscope::go
