// Finds the source line of a code address, and the functions that the compiler inlined there.
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
    // The demangled name of an inlined function; "" for the function that contains the code.
    std::string function = {};
    std::string file = {};  // without its folder; "": unknown
    unsigned line = 0;      // 1-based; 0: unknown
};

class Lines {
  public:
    // Opens the DWARF in the image or in its separate debug file, like Debug::open().
    static Result<std::optional<Lines>> open(const elf::Image &image, const std::string &path,
                                             const elf::SymbolOptions &options = {});
    // Returns the functions at `vaddr`, from the innermost inlined one to the function that
    // contains the code. The first frame's line is that of `vaddr`; each other frame's line is
    // where its function calls the function of the frame before. Empty if no unit describes the
    // address.
    std::vector<SourceFrame> at(uint64_t vaddr) const;

  private:
    explicit Lines(std::shared_ptr<Session> session) : session_(std::move(session)) {}
    std::shared_ptr<Session> session_;
};

}  // namespace uscope::dwarf
