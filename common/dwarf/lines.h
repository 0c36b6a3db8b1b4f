// Finds the source line of a code address, with the functions that the compiler inlined there.
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
    // Demangled, for inlined functions; "": the function that owns the code.
    std::string function = {};
    std::string file = {};  // without its folder; "": unknown
    unsigned line = 0;      // 1-based; 0: unknown
};

class Lines {
  public:
    // Opens the DWARF of the image itself or its debug file; nullopt if there is none. Errors: as
    // Debug::open(). Reads only headers.
    static Result<std::optional<Lines>> open(const elf::Image &image, const std::string &path,
                                             const elf::SymbolOptions &options = {});
    // Returns the functions at `vaddr`, the innermost first; the last one owns the code. The line
    // of each but the first is where it called the one before. Empty if no unit describes the
    // address.
    std::vector<SourceFrame> at(uint64_t vaddr) const;

  private:
    explicit Lines(std::shared_ptr<Session> session) : session_(std::move(session)) {}
    std::shared_ptr<Session> session_;
};

}  // namespace uscope::dwarf
