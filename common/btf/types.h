// Finds types and functions of the kernel by name in BTF (btf/functions.h describes the format).
//
// A module's BTF continues the kernel's: its first type has the next number, and its first string
// the next offset.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "btf/file.h"
#include "btf/format.h"
#include "types/function.h"

namespace uscope::btf {

class Types : public std::enable_shared_from_this<Types> {
  public:
    // Reads the kernel's types, or a module's with the kernel's as `base`. Returns null if the file
    // is damaged.
    static std::shared_ptr<const Types> read(File file, std::shared_ptr<const Types> base = {});

    // Returns nullopt if there is no function with that name. The result keeps the types alive.
    std::optional<types::FunctionInfo> find_function(std::string_view name) const;
    // "struct file", "enum pid_type", "loff_t", "file"; null when unknown.
    types::TypeRef find_type(std::string_view name) const;

  private:
    friend class Maker;
    struct Entry {
        Record record;
        Bytes tail;  // the data that follows the record
    };

    explicit Types(File file) : file_(std::move(file)) {}
    bool index();
    std::optional<Entry> at(uint32_t number) const;
    std::string_view name(uint32_t offset) const;
    // The number of the first type, here or in the base, for which is_wanted(record) holds.
    template <class IsWanted>
    std::optional<uint32_t> find(IsWanted is_wanted) const;

    File file_;
    Sections sections_;
    std::shared_ptr<const Types> base_;
    uint32_t first_ = 1;             // the number of the first type
    uint32_t first_string_ = 0;      // the offset of the first string
    std::vector<uint32_t> offsets_;  // the offset of each type in sections_.types
};

}  // namespace uscope::btf
