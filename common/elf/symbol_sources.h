// All symbols of a file, for the searches of elf/functions.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "elf/functions.h"
#include "elf/pclntab.h"
#include "elf/symbols.h"

namespace uscope::elf {

// The symbol tables of an image and, after load_debug_data(), of its debug file.
class SymbolSources {
  public:
    // Both must outlive this object.
    SymbolSources(const Image &image, const SymbolOptions &options);

    // Adds the symbols of a stripped file's debug file, or else of its .gnu_debugdata. Returns
    // false if there are none to add.
    bool load_debug_data();
    // Announces that most searches from now on will be for names that contain `text`.
    void keep_containing(std::string_view text);

    // Calls visit(symbol) for every symbol whose name contains `text`.
    template <class Visit>
    void each_containing(std::string_view text, Visit &&visit) const
    {
        for (const SymbolTable &table : tables_)
            if (text.empty())
                table.each(visit);
            else
                table.each_containing(text, visit);
        if (go_functions_ && text.empty())
            go_functions_->each(visit);
        else if (go_functions_)
            go_functions_->each_containing(text, visit);
    }

    bool is_function(const Symbol &symbol) const
    {
        return may_be_code(image_, symbol) && image_.file_offset(symbol.vaddr) &&
               (symbol.is_function || untyped_size(symbol.vaddr));
    }
    // In bytes; 0: unknown.
    uint64_t size_of(const Symbol &symbol) const
    {
        return symbol.is_function ? symbol.size : untyped_size(symbol.vaddr);
    }

    // The path to show to the user.
    const std::string &path() const
    {
        return options_.path.empty() ? image_.name() : options_.path;
    }
    const Image &image() const { return image_; }

    // True if only the exported functions are known, not the internal ones.
    bool has_only_exports() const;
    bool imports(std::string_view name) const;

    // " (build-id …)": where a debug file was searched; "" if there is nothing to say.
    std::string debug_search() const;

  private:
    uint64_t untyped_size(uint64_t vaddr) const;
    void list_symbols_in_code() const;
    uint64_t code_length(Bytes code) const;

    const Image &image_;
    const SymbolOptions &options_;
    std::vector<SymbolTable> tables_;
    mutable std::vector<std::pair<uint64_t, uint64_t>> symbols_in_code_;  // address, size
    std::optional<PclnTable> go_functions_;
    std::string mini_debug_info_, kept_text_;
    std::optional<Image> debug_image_;
};

}  // namespace uscope::elf
