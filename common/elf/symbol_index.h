// Finds the function of a file that contains an address. An index uses 16 bytes of memory for each
// function; names are read from the mapped file.
//
// The names come from the tables that elf/functions.h lists. The separate debug file or
// .gnu_debugdata is opened only if the file has no .symtab of its own.
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

    // Opens the file at `open_path`. `path` is the file's own path, by which its debug file is
    // found. They differ for a file that is opened through /proc/PID. Errors: as
    // elf::Image::open().
    static Result<SymbolIndex> open(const std::string &open_path, const std::string &path,
                                    const SymbolOptions &options = {});
    // Like open(), for an image that is already open or in memory.
    SymbolIndex(Image image, const std::string &path, const SymbolOptions &options = {});

    const Image &image() const { return image_; }
    // Returns the function that contains `vaddr`, or nullopt if none does. A symbol with a size
    // covers that many bytes. A symbol without a size covers the bytes up to the next symbol or the
    // end of its section: _init, for example, does not cover the stubs of the procedure linkage
    // table, which follow it in another section. In a stripped file for x86-64 (except Go's), a
    // symbol without a size covers only the code that control flow can reach from it. A symbol
    // without a size that is inside a function with a size is ignored: it may be a label in
    // assembly code. If a function has several names, find() prefers one with a size, then the one
    // with the fewest leading underscores, then the shortest. If no function contains `vaddr`, a
    // stub may: its name is like "puts@plt".
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
    // The bytes of debug_image_ if it comes from .gnu_debugdata.
    std::unique_ptr<std::string> unpacked_;
    std::optional<Image> debug_image_;
    std::array<Bytes, 2> names_;  // string tables: names_[is_in_debug_image]
    std::vector<Entry> entries_;  // sorted by vaddr, without duplicates
    // Read by the first find() for an address that is in no function.
    mutable std::optional<std::vector<Stub>> stubs_;
};

}  // namespace uscope::elf
