// The functions of one file for looking up addresses: 16 bytes each, names left in the file.
//
// It reads the tables that elf/functions.h names. The separate debug file and .gnu_debugdata are
// opened only when the file has no .symtab of its own.
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
        std::string_view
            name;  // as in the symbol table, without @VERSION; as long as the index lives
        uint64_t vaddr;
        uint64_t size;  // 0: not known
    };

    // `path` is where the file stands for those who look for its debug file; `open_path` where we
    // open it.
    static Result<SymbolIndex> open(const std::string &open_path, const std::string &path,
                                    const SymbolOptions &options = {});
    // The same of an image that may be in memory.
    SymbolIndex(Image image, const std::string &path, const SymbolOptions &options = {});

    const Image &image() const { return image_; }
    // The function that `vaddr` is inside. A symbol without a size reaches to the next symbol or to
    // the end of its section: _init is not what the stubs of the procedure linkage table are in,
    // which stand behind it. In a stripped file it has only what its code leads to. Behind the end
    // of any other symbol there is nothing. Of several names for an address: one with a size, with
    // the fewest leading underscores, the shortest. Symbols without a type, of assembly, are
    // functions, too, where they are in no other function that has a size. Stubs are "puts@plt".
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
    std::unique_ptr<std::string> unpacked_;  // the bytes of debug_image_, when from .gnu_debugdata
    std::optional<Image> debug_image_;
    std::array<Bytes, 2> names_;  // of each image: its bytes, or what was compressed in it
    std::vector<Entry> entries_;  // by vaddr, each once
    mutable std::optional<std::vector<Stub>> stubs_;  // when an address was in no function
};

}  // namespace uscope::elf
