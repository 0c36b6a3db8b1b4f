// Finds the version of Go that compiled a program, because the calling convention and the layout of
// the runtime's data depend on the version.
//
// Go's linker writes a note for the command `go version`. It is in the section .go.buildinfo. In a
// file without that section, it is at a multiple of 16 bytes in the first megabyte of a writable
// segment:
//
//     ff ' Go buildinf:'   14 bytes
//     08                   size of a pointer
//     02                   flags: 1 big-endian; 2 the texts are at byte 32 (Go >= 1.18)
//     …                    unused, up to byte 32
//     08 'go1.19.8'        the version: its length as a varint (7 bits in each byte, low ones
//                          first), its text
//     b1 02 '…'            the modules from which the program was built: length, text
//
// Before Go 1.18, two pointers follow the flags instead, for the version and the modules. Each
// points to the pointer to a text and its length. Here the note's pointer at byte 16 leads to the
// version:
//
//     note + 16: 40 31 55 00 …    0x553140: e0 d4 4b 00 … 08 00 …    0x4bd4e0: 'go1.17.2'
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

// Nobody has checked the offsets and conventions in this folder for older versions.
constexpr Version oldest_known = {1, 15};
// Since this version, maps are Swiss tables.
constexpr Version swiss_maps = {1, 24};

// Parses "go1.19.8", "go1.22rc1" or "devel go1.20-3de5b3f Mon Aug  1 …". Returns nullopt for other
// texts.
std::optional<Version> parse_version(std::string_view text);

// Returns the text of the version ("go1.19.8") in `note`, the bytes that start with the note.
// `memory` reads the program at a virtual address. Returns nullopt if the note is damaged.
using Memory = std::function<std::optional<Bytes>(uint64_t vaddr, uint64_t length)>;
std::optional<std::string> version_in(Bytes note, const Memory &memory);

// Finds the note in a file, and returns the text of the version in it. Returns nullopt if the file
// has no such note, or a damaged one.
std::optional<std::string> built_by(const elf::Image &image);

// Like built_by(), but parses the text.
std::optional<Version> version_of(const elf::Image &image);

// Do the program's functions pass arguments and results in registers, and keep the current
// goroutine in a register? True for x86-64 programs of Go 1.17 and later. (Functions in assembly
// still pass arguments and results on the stack.)
bool passes_in_registers(const elf::Image &image);

}  // namespace uscope::go
