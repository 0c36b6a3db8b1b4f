// The names of Python's functions, where they are not ASCII.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lang/memory.h"
#include "lang/version.h"

namespace uscope::lang {

struct PythonNames {
    std::string file, function;
    bool operator==(const PythonNames &) const = default;
};

enum class PythonName : uint8_t { Plain, Qualified };

// What the values of rows hold: of 3.11 in a flow as its probe of returns has it.
inline PythonName python_name_kind(const Version &version, bool is_flow)
{
    return is_flow && version < Version{3, 12} ? PythonName::Plain : PythonName::Qualified;
}

// Of a code object, in UTF-8. `seen`: what a program in the kernel has read in place of them, cut to
// `most_bytes`. What is ASCII stays so. Nothing: they cannot be read, or others are there now.
std::optional<PythonNames> read_python_names(const Memory &memory, uint64_t code, PythonName kind,
                                             const Version &version, const PythonNames &seen,
                                             size_t most_bytes);

// The text that a reference leads to, in UTF-8, cut when it is very long.
std::optional<std::string> read_python_text(const Memory &memory, uint64_t reference,
                                            const Version &version);

}  // namespace uscope::lang
