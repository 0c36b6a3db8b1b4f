// The small stack machine in which rows of .eh_frame say where a frame or a saved register is, when
// "register + offset" does not do: in PLTs, in realigned frames, in trampolines of signals.
// (DWARF 5, 2.5.)
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/bytes.h"

namespace uscope::elf {

struct ExpressionInput {
    // Nothing: it is not known.
    std::function<std::optional<uint64_t>(uint64_t reg)> read_register;
    std::function<std::optional<uint64_t>(uint64_t address)> read_memory;
};

// `first`: what lies on the stack at the beginning (the CFA, for saved registers). Nothing when it is
// not understood, or when something that it reads is not known.
std::optional<uint64_t> evaluate(Bytes expression, std::optional<uint64_t> first,
                                 const ExpressionInput &input);

}  // namespace uscope::elf
