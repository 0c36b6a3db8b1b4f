// Notes for the user about the functions that a name means.
#pragma once

#include <string>
#include <vector>

#include "elf/functions.h"
#include "elf/symbol_sources.h"

namespace uscope::elf {

// "copy@LIB_1", or "copy@@LIB_2" for the default version.
std::string with_version(const Symbol &symbol);
// Adds notes about what a plain name leaves out or includes. `functions` are its matches.
void add_notes(const SymbolSources &sources, std::vector<Function> &functions);
// Adds notes for a glob's matches: other names of the same address. `symbols` are sorted by their
// addresses.
void add_merged_notes(const std::vector<Symbol> &symbols, std::vector<Function> &functions);

}  // namespace uscope::elf
