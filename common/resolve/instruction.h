// Checks whether the instruction at an address of a file can have a uprobe. An instruction that is
// not proven safe gets none, for two reasons. If the kernel refuses it, this stays hidden while no
// process runs the file, and the probe would silently never fire. And the kernel accepts some
// instructions that it then executes wrongly.
#pragma once

#include <optional>
#include <string_view>

#include "elf/image.h"
#include "insn/decode.h"

namespace uscope::resolve {

// Returns `length` bytes from `vaddr` on, or as many as the file has there; nullopt if it has none.
std::optional<Bytes> bytes_up_to(const elf::Image &image, uint64_t vaddr, uint64_t length);

// Returns why the instruction at `vaddr` cannot have a uprobe; None if it can, and for machines
// other than x86-64. `at_start`: it is a function's first instruction.
insn::Refusal refusal_at(const elf::Image &image, uint64_t vaddr, bool at_start);

// Returns "FILE: cannot probe WHERE: it is on an instruction that …".
Error refused_error(const elf::Image &image, std::string_view where, insn::Refusal refusal);

}  // namespace uscope::resolve
