// Finds the function that contains an address, in one file. It takes 16 bytes for each function;
// the names stay in the file.
//
// It reads the tables that elf/functions.h lists. It opens the separate debug file or
// .gnu_debugdata only if the file has no .symtab of its own.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/functions.h"
#include "elf/image.h"
#include "elf/stubs.h"

namespace uscope::elf {

class SymbolIndex {
  public:
    struct Symbol {
        std::string_view name;  // as in the symbol table, without @VERSION; points into the index
        uint64_t vaddr;
        uint64_t size;  // 0: unknown
    };

    // `path` is the file's own path, by which its debug file is found; `open_path` is the path that
    // is opened.
    static Result<SymbolIndex> open(const std::string &open_path, const std::string &path,
                                    const SymbolOptions &options = {});
    // Like open(), for an image that may be in memory.
    SymbolIndex(Image image, const std::string &path, const SymbolOptions &options = {});

    const Image &image() const { return image_; }
    // Returns the function that contains `vaddr`, or nullopt if none does. A symbol with a size
    // covers only its size. A symbol without a size reaches to the next symbol or to the end of its
    // section: _init, for example, does not include the stubs of the procedure linkage table, which
    // follow it in another section. In a stripped file, such a symbol covers only the code that
    // control flow reaches from it. If an address has several names, find() prefers one with a
    // size, then the one with the fewest leading underscores, then the shortest. Symbols without a
    // type, which come from assembly code, count as functions unless they are inside a function
    // with a size. Stubs are named as "puts@plt".
    std::optional<Symbol> find(uint64_t vaddr) const;
    size_t size() const { return entries_.size(); }

  private:
    struct Entry {
        uint64_t vaddr;
        uint64_t is_in_debug_image : 1, name : 35, size : 28;  // name: offset in names_
    };
    void add_debug_file(const std::string &path, const SymbolOptions &options);
    void add_functions(const Image &image, bool is_debug_image);
    std::string_view name(const Entry &entry) const;
    bool is_better(const Entry &a, const Entry &b) const;
    void keep_best_names();
    bool is_in_one_section(uint64_t from, uint64_t to) const;
    std::optional<Symbol> find_stub(uint64_t vaddr) const;

    Image image_;
    // The bytes of debug_image_ if it is from .gnu_debugdata.
    std::unique_ptr<std::string> unpacked_;
    std::optional<Image> debug_image_;
    std::array<Bytes, 2> names_;  // Entry::name is an offset into one of these: [is_in_debug_image]
    std::vector<Entry> entries_;  // sorted by vaddr, one for each
    // Read when find() first gets an address that is in no function.
    mutable std::optional<std::vector<Stub>> stubs_;
};

}  // namespace uscope::elf
