// Files whose symbols tests search: built ones, and those of the system.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/elf/elf_builder.h"
#include "elf/functions.h"

namespace uscope::elf {

inline const SymbolOptions own_symbols = {.debug_files = false};

#define OPEN(image, path)                                       \
    auto image##_opened = Image::open(path);                    \
    ASSERT_TRUE(image##_opened) << image##_opened.error().text; \
    Image image = std::move(*image##_opened)

// For files that this build may lack.
#define OPEN_OR_SKIP(image, path)                \
    if (!std::filesystem::exists(path))          \
        GTEST_SKIP() << path << " is not there"; \
    OPEN(image, path)

// Returns the raw names that a pattern means, in address order, or the error.
inline std::vector<std::string> found(const Image &image, std::string_view pattern)
{
    auto functions = find_functions(image, pattern, own_symbols);
    if (!functions)
        return {"error: " + functions.error().text};
    std::vector<std::string> names;
    for (const Function &function : *functions)
        names.push_back(function.name);
    return names;
}

using Names = std::vector<std::string>;

class Built {  // keeps a built file's bytes for its image
  public:
    explicit Built(std::string bytes) : bytes_(std::move(bytes)) {}
    Image image() const
    {
        auto image = Image::parse(Bytes(bytes_), "x.so");
        EXPECT_TRUE(image) << image.error().text;
        return std::move(*image);
    }

  private:
    std::string bytes_;
};

inline Built built(const std::vector<std::pair<const char *, uint64_t>> &functions,
                   uint32_t type = SHT_SYMTAB)
{
    ElfBuilder builder;
    for (auto [name, offset] : functions)
        builder.add_function(name, ElfBuilder::base + offset);
    builder.add_symbol_table(type == SHT_SYMTAB ? ".symtab" : ".dynsym", type);
    return Built(builder.build());
}

}  // namespace uscope::elf
