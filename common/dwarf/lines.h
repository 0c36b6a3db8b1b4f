// Where in its source an address of a program is, with the functions that the compiler inlined there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "elf/functions.h"

namespace uscope::dwarf {

class Session;

struct SourceFrame {
    std::string function = {};  // demangled, of inlined ones; "": the one whose code it is
    std::string file = {};      // without its folder; "": not known
    unsigned line = 0;          // 1-based; 0: not known
};

class Lines {
  public:
    // From the image itself or its debug file; nothing when there is no DWARF. Errors: as
    // dwarf::Debug::open(). Reads no more than the headers.
    static Result<std::optional<Lines>> open(const elf::Image &image, const std::string &path,
                                             const elf::SymbolOptions &options = {});
    // The innermost function first; the last one is that which has the code. Each but the first is
    // where it called the one before. Empty when the address is in no unit that is described.
    std::vector<SourceFrame> at(uint64_t vaddr) const;

  private:
    explicit Lines(std::shared_ptr<Session> session) : session_(std::move(session)) {}
    std::shared_ptr<Session> session_;
};

}  // namespace uscope::dwarf
