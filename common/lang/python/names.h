// Reads names of Python functions, which need not be ASCII.
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

// Returns which name the values of hooks contain: the qualified one, except in a flow of calls and
// returns of 3.11, whose probe for returns passes the plain one.
inline PythonName python_name_kind(const Version &version, bool is_flow)
{
    return is_flow && version < Version{3, 12} ? PythonName::Plain : PythonName::Qualified;
}

// Returns the names of a code object, in UTF-8. `seen`: what a program in the kernel has read of
// them, as if they were ASCII, cut to `max_bytes`. Names that are ASCII are returned as seen.
// Returns nullopt if they cannot be read, or other names are there now.
std::optional<PythonNames> read_python_names(const Memory &memory, uint64_t code, PythonName kind,
                                             const Version &version, const PythonNames &seen,
                                             size_t max_bytes);

// Reads the text to which a reference points, in UTF-8; cut after 4096 characters.
std::optional<std::string> read_python_text(const Memory &memory, uint64_t reference,
                                            const Version &version);

}  // namespace uscope::lang
