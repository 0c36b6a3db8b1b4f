// Finds functions that no symbol names, as nearly all of a stripped program, by the addresses at
// which they start.
//
// .eh_frame (elf/frames.h) describes the code of nearly every function, also in a stripped file. A
// range of code that starts as a called function does is a function if it is not inside of one that
// has a name, and not a stub of the procedure linkage table.
//
// These functions are called by their address in the file, "+0x349f". (A plain number is any
// instruction's address.) Functions with names can be named so, too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/frames.h"
#include "elf/functions.h"

namespace uscope::elf {

class SymbolSources;

std::string start_name(uint64_t vaddr);  // "+0x349f"
// Returns the address in such a name; nullopt if `name` has another form.
std::optional<uint64_t> parse_start_name(std::string_view name);

// These read all symbols: load those of the debug file first.

// Returns the functions without names, in address order.
std::vector<Frame> unnamed_functions(const SymbolSources &sources);
// Returns the function without a name that starts at `vaddr`. If none does, the error has the start
// of the next function below, with or without a name.
Result<Function> unnamed_at(const SymbolSources &sources, uint64_t vaddr);
// Returns the functions without names whose "+0x349f" `glob` matches; at least one.
Result<std::vector<Function>> find_unnamed(const SymbolSources &sources, std::string_view glob);
// Appends the functions without names whose "+0x349f" `regex` matches.
void add_unnamed(const SymbolSources &sources, const Regex &regex,
                 std::vector<Function> &functions);

}  // namespace uscope::elf
