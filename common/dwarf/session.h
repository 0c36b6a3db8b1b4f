// An open file with DWARF, and a cache of what was looked up in it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "dwarf/die.h"
#include "elf/functions.h"

namespace uscope::dwarf {

class Session {
  public:
    // Errors: the file cannot be opened, has no DWARF, or its DWARF is damaged.
    static Result<std::shared_ptr<Session>> open(const std::string &path);
    // Opens the image itself or its debug file; null if neither has DWARF.
    static Result<std::shared_ptr<Session>> find(const elf::Image &image, const std::string &path,
                                                 const elf::SymbolOptions &options);
    Session() = default;
    Session(const Session &) = delete;
    ~Session();

    // Returns the unit that describes the code at `address`; for a split unit, its skeleton.
    std::optional<Dwarf_Die> find_unit(uint64_t address);
    // Returns the subprogram whose code starts at `address`.
    std::optional<Dwarf_Die> function_at(uint64_t address);
    // See Debug::missing_split().
    std::string missing_split(uint64_t address);
    // Both find types by qualified name: find_tagged() a structure, class, union or enumeration
    // with a body; find_named() a typedef or base type.
    std::optional<Dwarf_Die> find_tagged(const std::string &name);
    std::optional<Dwarf_Die> find_named(const std::string &name);

  private:
    using Names = std::unordered_map<std::string, Dwarf_Die>;

    struct Range {
        uint64_t end;
        Dwarf_Die unit;
    };

    void read_ranges();
    void read_functions(Dwarf_Die &scope, int depth);
    std::optional<Dwarf_Die> find(const Names &names, const std::string &name);
    bool read_types_of_next_unit();
    void read_types(Dwarf_Die &scope, const std::string &prefix, int depth);

    Fd fd_;
    Elf *elf_ = nullptr;
    Dwarf *dwarf_ = nullptr;

    std::set<Dwarf_Off> units_read_;
    std::unordered_map<uint64_t, Dwarf_Die> functions_;
    std::optional<std::map<uint64_t, Range>> ranges_;  // all units, by the start of their ranges
    Dwarf_CU *last_unit_ = nullptr;                    // the last one whose types were read
    bool all_types_read_ = false;
    Names tagged_, named_;
};

// Returns, for a skeleton unit (-gsplit-dwarf), the unit in its .dwo file if that file exists; else
// the unit itself.
Dwarf_Die split_or_itself(const Dwarf_Die &unit);

}  // namespace uscope::dwarf
