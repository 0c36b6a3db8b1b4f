// An open file with DWARF. Keeps the functions, types and address ranges that it has read, because
// DWARF has no complete index of them.
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
    // Opens the file at `path`. Errors: it cannot be opened, has no DWARF, or its DWARF is damaged.
    static Result<std::shared_ptr<Session>> open(const std::string &path);
    // Opens the image's file if it has DWARF, else its separate debug file; null if neither has
    // DWARF. `path`: the image's own path, by which the debug file is found.
    static Result<std::shared_ptr<Session>> find(const elf::Image &image, const std::string &path,
                                                 const elf::SymbolOptions &options);
    Session() = default;
    Session(const Session &) = delete;
    ~Session();

    // Returns the compilation unit that describes the code at `address`. If the unit is in a .dwo
    // file (-gsplit-dwarf), returns its skeleton, the entry in this file that refers to it.
    std::optional<Dwarf_Die> find_unit(uint64_t address);
    // Returns all compilation units, as find_unit() does.
    std::vector<Dwarf_Die> units() const;
    // Returns the entry of the function whose code starts at `address`.
    std::optional<Dwarf_Die> function_at(uint64_t address);
    // See Debug::missing_split().
    std::string missing_split(uint64_t address);
    // Both find types by their qualified names ("ns::Thing"). find_tagged() finds a structure,
    // class, union or enumeration that is defined, not only declared; find_named() finds a typedef
    // or a base type.
    std::optional<Dwarf_Die> find_tagged(const std::string &name);
    std::optional<Dwarf_Die> find_named(const std::string &name);
    // See Debug::variable_type(). Not in .dwo files.
    std::optional<Dwarf_Die> variable_at(std::string_view name, uint64_t address);

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
    static std::optional<Dwarf_Die> variable_in(Dwarf_Die &scope, std::string_view name,
                                                uint64_t address, int depth);
    void read_types(Dwarf_Die &scope, const std::string &prefix, int depth);

    Fd fd_;
    Elf *elf_ = nullptr;
    Dwarf *dwarf_ = nullptr;

    std::set<Dwarf_Off> units_read_;
    std::unordered_map<uint64_t, Dwarf_Die> functions_;
    std::optional<std::map<uint64_t, Range>> ranges_;  // of all units, by their start addresses
    Dwarf_CU *last_unit_ = nullptr;                    // the last unit whose types were read
    bool all_types_read_ = false;
    Names tagged_, named_;
};

// If `unit` is a skeleton unit (-gsplit-dwarf) whose .dwo file exists, returns the unit in that
// file; else returns `unit`.
Dwarf_Die split_or_itself(const Dwarf_Die &unit);

}  // namespace uscope::dwarf
