// Matches any pattern of a user (the first line) with any symbol's name (the rest).
#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/text.h"
#include "elf/demangle.h"
#include "elf/name_pattern.h"

using namespace uscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    std::string_view input(reinterpret_cast<const char *>(data), size);
    size_t line = std::min(input.find('\n'), input.size());
    std::string_view pattern = input.substr(0, line);
    std::string_view symbol = input.substr(std::min(line + 1, input.size()));
    // A name in a file ends at the first zero byte.
    symbol = symbol.substr(0, symbol.find('\0'));

    std::string text = elf::demangle(symbol);
    elf::demangle_with_return_type(symbol);
    elf::without_qualifiers(text);
    elf::without_template_arguments(elf::without_parameters(text));
    elf::without_template_arguments(elf::without_parameters(pattern));
    elf::NamePattern(pattern).match(symbol);
    // A symbol's demangled name must match the symbol, in spite of the shortcuts in matching. Names
    // with '$' are excluded: libiberty accepts $u43$ for the letter C, which rustc never writes so.
    bool is_plausible = std::all_of(symbol.begin(), symbol.end(),
                                    [](char c) { return is_identifier(c) || c == '.'; });
    if (is_plausible && text != symbol && !elf::NamePattern(text).match(symbol))
        abort();
    return 0;
}
