// Can a uprobe be on the instruction at an address of a file? One that is not proven safe gets none: a
// file that nobody runs yet hides the kernel's refusal, so that the probe would silently never fire,
// and some instructions the kernel accepts and executes wrongly.
#pragma once

#include <optional>
#include <string_view>

#include "elf/image.h"
#include "insn/decode.h"

namespace uscope::resolve {

// `length` bytes from `vaddr` on, or as many as the file has there; nothing if that is none.
std::optional<Bytes> bytes_up_to(const elf::Image &image, uint64_t vaddr, uint64_t length);

// `at_start`: of a function. Of another machine than x86-64: None.
insn::Refusal refusal_at(const elf::Image &image, uint64_t vaddr, bool at_start);

// "FILE: no probe can be at PLACE: the kernel … its instruction".
Error refused_place(const elf::Image &image, std::string_view place, insn::Refusal refusal);

}  // namespace uscope::resolve
