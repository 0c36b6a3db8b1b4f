// Finds the source line of a code address, and the functions that the compiler inlined there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

// Code of a source line.
struct LineCode {
    uint64_t vaddr = 0;
    std::string file = {};  // with its folder, as the compiler was given it
    unsigned line = 0;
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

    // Returns where the code of a line begins: once in each function that contains it, and in each
    // place where such a function was inlined. If the line has no code, that of the next one that
    // has. `file`: the name of a source file, or the end of its path ("lib/util.c"). Empty if there
    // is no such file, or no code from this line on. Reads the line tables of all units.
    std::vector<LineCode> code_of(std::string_view file, unsigned line) const;

  private:
    explicit Lines(std::shared_ptr<Session> session) : session_(std::move(session)) {}
    std::shared_ptr<Session> session_;
};

}  // namespace uscope::dwarf
