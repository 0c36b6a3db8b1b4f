// Reads from DWARF the names and types of a function's parameters, and members and offsets of
// types.
//
// C++ references become pointers, and so does a structure that C++ passes or returns through
// memory: each type is that of the value in the register. libdw reads DWARF 2 to 5, compressed
// sections, type units, dwz and .dwo files (-gsplit-dwarf). Not supported: .dwp files, arrays of
// Fortran and Ada.
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
    // Opens the DWARF of the image itself or its debug file; nullopt if there is none. Errors: the
    // file cannot be opened, or its DWARF is damaged at its root. Reads only headers.
    static Result<std::optional<Debug>> open(const elf::Image &image, const std::string &path,
                                             const elf::SymbolOptions &options = {});
    // Returns the function whose code starts at `vaddr`; nullopt if DWARF does not describe it
    // (functions that were only inlined have no address) or has no types for it (assembly, -g1).
    // The first lookup in a unit reads that unit.
    std::optional<FunctionInfo> function_at(uint64_t vaddr) const;
    // Returns the name of the .dwo file that describes the function at `vaddr` if that file is
    // missing, else "".
    std::string missing_split(uint64_t vaddr) const;
    // Returns a named type: "int", "struct client", "client", "ns::Thing", "redisObject"; null if
    // unknown. Types keep the debug data alive. Reads units one by one until it finds the type.
    types::TypeRef find_type(std::string_view name) const;

  private:
    explicit Debug(std::shared_ptr<Session> session) : session_(std::move(session)) {}
    std::shared_ptr<Session> session_;
    abi::Machine machine_ = abi::host_machine;
    GoConvention go_convention_ = GoConvention::Stack;
};

}  // namespace uscope::dwarf
