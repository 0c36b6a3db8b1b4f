// Compares the code in a process's memory with the code in the file.
//
// Where a probe is attached, the kernel executes the instruction that the *file* has there. If the
// instruction in the process's memory differs from it, a probe would make the process execute
// another instruction than before. Memory differs because of text relocations, because a hook was
// written over the start of a function, or because a program has patched no-ops that were left for
// this. A process may also have copied its code into anonymous memory, such as huge pages: then it
// never executes the file's code, and no probe fires.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "lang/memory.h"
#include "proc/maps.h"

namespace uscope::elf {
class Image;
}

namespace uscope::probe {

class CodeInMemory {
  public:
    enum class State : uint8_t {
        AsInFile,  // the same, apart from a breakpoint; also if the memory cannot be read
        Changed,
        Copied,     // anonymous memory has replaced the file's code
        NotMapped,  // the process does not have the file's code (yet)
    };

    // Reads the process's mappings once, and does not notice when they change. Errors: no such
    // process, or no permission.
    static Result<CodeInMemory> open(pid_t pid);

    const std::vector<proc::Mapping> &mappings() const { return mappings_; }
    // Selects the file for the functions below. `path` opens it, `image` is its content.
    void choose(const std::string &path, const elf::Image &image);
    // The state of the instruction at file offset `offset`.
    State at(uint64_t offset) const;
    // Is a breakpoint at this file offset in the process's memory? nullopt: the process does not
    // map the code at this offset, or its memory cannot be read.
    std::optional<bool> has_breakpoint(uint64_t offset) const;
    // Returns the first executable mapping of the file, or null if the process does not map its
    // code.
    const proc::Mapping *mapping() const;

  private:
    CodeInMemory(std::vector<proc::Mapping> mappings, lang::Memory memory);
    const proc::Mapping *mapping_of(uint64_t offset) const;
    bool is_copied(uint64_t offset) const;

    std::vector<proc::Mapping> mappings_;
    std::vector<const proc::Mapping *> of_file_;
    const elf::Image *image_ = nullptr;
    lang::Memory memory_;
};

}  // namespace uscope::probe
