// Finds types and functions of the kernel by name in BTF, and converts them to types of the
// expression language. btf/functions.h describes the format.
//
// The BTF of a module continues the kernel's. Its type numbers start after the last type of the
// kernel, and its string offsets after the end of the kernel's strings, so that it can refer to
// both.
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
    // Reads the kernel's BTF, without `base`, or a module's, with the kernel's types as `base`.
    // Returns null if the file is not BTF or its header is damaged.
    static std::shared_ptr<const Types> read(File file, std::shared_ptr<const Types> base = {});

    // Returns the function's parameters and return type; nullopt if BTF has no function with that
    // name. The result keeps this object alive.
    std::optional<types::FunctionInfo> find_function(std::string_view name) const;
    // Finds "struct file", "enum pid_type" or "loff_t"; also "file" without its keyword. Null if
    // unknown.
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
    // Returns the number of a type for which is_wanted(record) is true: the first one in this file,
    // else the first one in base_.
    template <class IsWanted>
    std::optional<uint32_t> find(IsWanted is_wanted) const;

    File file_;
    Sections sections_;
    std::shared_ptr<const Types> base_;
    uint32_t first_ = 1;             // the number of this file's first type
    uint32_t first_string_ = 0;      // the offset by which types refer to its first string
    std::vector<uint32_t> offsets_;  // the offset of each type in sections_.types
};

}  // namespace uscope::btf
