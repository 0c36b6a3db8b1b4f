// Which functions of a server's program lead to which: so a probe on one of them can be relied on.
// A program that was optimized as a whole may have a function, and not call it where its source does.
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
// The relative calls and jumps of x86-64 code; nothing when it cannot be decoded.
std::optional<std::vector<Branch>> branches(Bytes function);

// The only function of that name.
std::optional<elf::Function> find_one(const elf::Image &image, const std::string &name);

Bytes code_of(const elf::Image &image, const elf::Function &function);  // empty: there is none

// Does it call or jump to the other, by an instruction of its own?
bool reaches(const elf::Image &image, const elf::Function &from, const elf::Function &to);

}  // namespace uscope::db
