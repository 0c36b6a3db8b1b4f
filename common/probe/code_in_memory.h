// The code of files as a process has it in its memory.
//
// The kernel executes the instruction that the *file* has at a probe. Where the memory differs (text relocations, a hook
// that was written over a function, patched sleds), the process would go on with another instruction. And a process that has
// copied its code into anonymous memory (to huge pages, for example) never executes the file's: no probe fires there.
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
        AsInFile,  // but for the first byte of a breakpoint; also what cannot be read
        Changed,
        Copied,     // anonymous memory has taken the place of the file's code
        NotMapped,  // the process does not have the file's code (yet)
    };

    // As it is from now on: what was read is kept. Errors: no such process, no permission.
    static Result<CodeInMemory> open(pid_t pid);

    const std::vector<proc::Mapping> &mappings() const { return mappings_; }
    // Which file the following are about: `path` leads to it.
    void choose(const std::string &path, const elf::Image &image);
    // Of the instruction at `offset` of the file.
    State at(uint64_t offset) const;
    std::optional<bool> has_breakpoint(uint64_t offset) const;  // nothing: that cannot be read
    // Where the process has the file's code; null: nowhere.
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
