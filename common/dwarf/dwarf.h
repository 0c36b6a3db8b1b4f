// What DWARF says of a function: its parameters' names and types; and of types: members, offsets.
//
// References are pointers here, and a structure that C++ passes or returns through memory is a
// pointer to it: types are of what the register holds. Read by libdw: DWARF 2 to 5, compressed
// sections, type units, dwz, .dwo files (-gsplit-dwarf). Not read: .dwp files, Fortran's and Ada's arrays.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/registers.h"
#include "dwarf/go_place.h"
#include "elf/functions.h"
#include "types/function.h"

namespace uscope::dwarf {

using types::FunctionInfo;
using types::Parameter;

class Session;

class Debug {
  public:
    // From the image itself or its debug file; nothing when there is no DWARF. Errors: a file that
    // cannot be opened or whose DWARF is damaged at its root. Reads no more than the headers.
    static Result<std::optional<Debug>> open(const elf::Image &image, const std::string &path,
                                             const elf::SymbolOptions &options = {});
    // The function whose code starts at `vaddr`; nothing when DWARF does not know it (functions
    // that were only inlined have no address) or has no types for it (assembly, -g1). The first
    // question about a unit reads that unit.
    std::optional<FunctionInfo> function_at(uint64_t vaddr) const;
    // The .dwo file that has all about the function whose code starts at `vaddr`, when it is not there; else "".
    std::string missing_split(uint64_t vaddr) const;
    // A named type: "int", "struct client", "client", "ns::Thing", "redisObject"; null when
    // unknown. The types keep the debug data alive. Reads the units one by one until it is found.
    types::TypeRef find_type(std::string_view name) const;

  private:
    explicit Debug(std::shared_ptr<Session> session) : session_(std::move(session)) {}
    std::shared_ptr<Session> session_;
    abi::Machine machine_ = abi::host_machine;
    GoConvention go_convention_ = GoConvention::Stack;
};

}  // namespace uscope::dwarf
