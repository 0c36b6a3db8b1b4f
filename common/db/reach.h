// Checks that one function of a server's program really calls another, before a probe is placed on
// the called one. After whole-program optimization, the called function may still exist but be
// inlined into its callers, and then its probe would never fire.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "elf/functions.h"
#include "elf/image.h"

namespace uscope::db {

struct Branch {
    uint64_t from, to;  // offsets from the function's start; the target may be outside
};
// The relative calls and jumps of x86-64 code; nullopt if it cannot be decoded.
std::optional<std::vector<Branch>> branches(Bytes function);

// The function of that name; nullopt if there is none, or more than one.
std::optional<elf::Function> find_one(const elf::Image &image, const std::string &name);

Bytes code_of(const elf::Image &image, const elf::Function &function);  // empty if not in the file

// Does `from` contain a call or jump to `to`?
bool reaches(const elf::Image &image, const elf::Function &from, const elf::Function &to);

}  // namespace uscope::db
