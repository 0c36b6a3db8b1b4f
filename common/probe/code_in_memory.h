// Compares the code in a process's memory with the code in the file.
//
// At a probe, the kernel executes the instruction of the *file*. Where the memory differs (text
// relocations, a hook written over a function, patched sleds), a probe would make the process
// execute another instruction than before. And a process that has copied its code into anonymous
// memory (into huge pages, for example) never executes the file's code: no probe fires there.
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
        AsInFile,  // apart from a breakpoint; also if the memory cannot be read
        Changed,
        Copied,     // anonymous memory has replaced the file's code
        NotMapped,  // the process does not have the file's code (yet)
    };

    // Reads the mappings once; later changes to them are not noticed. Errors: no such process, no
    // permission.
    static Result<CodeInMemory> open(pid_t pid);

    const std::vector<proc::Mapping> &mappings() const { return mappings_; }
    // Selects the file that the functions below refer to. `path` opens it, `image` is its content.
    void choose(const std::string &path, const elf::Image &image);
    // The state of the instruction at file offset `offset`.
    State at(uint64_t offset) const;
    // nullopt: the process does not map this code, or it cannot be read.
    std::optional<bool> has_breakpoint(uint64_t offset) const;
    // The first executable mapping of the file; null: the process does not map its code.
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
