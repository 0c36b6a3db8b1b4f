// Finds the variables of a file by their names in the source.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "elf/functions.h"

namespace uscope::elf {

struct Variable {
    uint64_t vaddr = 0, size = 0;  // bytes; 0: unknown
};

// Finds "counter", "ns::instance" or "Class::member" of C++, "crate::module::NAME" of Rust; not
// variables of a thread. nullopt if it does not exist, or exists at several addresses.
std::optional<Variable> find_variable(const Image &image, std::string_view name,
                                      const SymbolOptions &options = {});
// The same for a variable of a thread, in the file's own symbol tables. `vaddr`: its offset in the
// segment PT_TLS.
std::optional<Variable> find_thread_variable(const Image &image, std::string_view name);

// Returns the address of a data symbol, by its name in the symbol table (for USDT operands such as
// `4@NBuffers(%rip)`); nullopt as above.
std::optional<uint64_t> find_object(const Image &image, std::string_view name,
                                    const SymbolOptions &options = {});

}  // namespace uscope::elf
