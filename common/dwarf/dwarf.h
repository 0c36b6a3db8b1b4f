// Reads a program's debug information (DWARF): names, types and locations of a function's
// parameters; types by their names, with the offsets of their members.
//
// The type of a parameter is that of the value in its register: C++ references become pointers, and
// so do structures that C++ passes or returns as a pointer to memory. Supported are DWARF 2 to 5,
// compressed sections, type units, dwz and .dwo files (-gsplit-dwarf), which libdw reads; not
// supported are .dwp files, and arrays of Fortran and Ada.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/registers.h"
#include "dwarf/go_location.h"
#include "elf/functions.h"
#include "types/function.h"

namespace uscope::dwarf {

using types::FunctionInfo;
using types::Parameter;

class Session;

class Debug {
  public:
    // Opens the DWARF in the image or in its separate debug file; nullopt if neither has any.
    // `path`: the image's own path, by which the debug file is found. Errors: the file cannot be
    // opened, or libdw cannot read the headers of its DWARF. Reads only headers.
    static Result<std::optional<Debug>> open(const elf::Image &image, const std::string &path,
                                             const elf::SymbolOptions &options = {});
    // Returns the function whose code starts at `vaddr`. nullopt if DWARF does not describe it (a
    // function that was inlined everywhere has no address) or has no types for it (assembly; code
    // compiled with -g1). The first call for a function of a compilation unit reads that unit.
    std::optional<FunctionInfo> function_at(uint64_t vaddr) const;
    // If the function at `vaddr` is described in a .dwo file that does not exist: returns the name
    // of this file; else "".
    std::string missing_split(uint64_t vaddr) const;
    // Returns the type with this name, such as "int", "struct client", "client", "ns::Thing"; null
    // if unknown. Types keep the debug data alive. Reads the compilation units one by one until one
    // of them has the type.
    types::TypeRef find_type(std::string_view name) const;
    // Returns the type of the variable at `vaddr`, whose name may have namespaces before it; null
    // if unknown. Reads the entries of all compilation units until one of them has it.
    types::TypeRef variable_type(std::string_view name, uint64_t vaddr) const;

    const std::shared_ptr<Session> &session() const { return session_; }

  private:
    explicit Debug(std::shared_ptr<Session> session) : session_(std::move(session)) {}
    std::shared_ptr<Session> session_;
    abi::Machine machine_ = abi::host_machine;
    GoConvention go_convention_ = GoConvention::Stack;
};

}  // namespace uscope::dwarf
