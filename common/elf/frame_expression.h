// Evaluates DWARF expressions: the stack machine by which rows of .eh_frame give the position of a
// frame or a saved register when "register + offset" is not enough: in PLTs, in realigned frames,
// in signal trampolines. (DWARF 5, 2.5.)
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/bytes.h"

namespace uscope::elf {

struct ExpressionInput {
    // Both return nullopt if the value is not known.
    std::function<std::optional<uint64_t>(uint64_t reg)> read_register;
    std::function<std::optional<uint64_t>(uint64_t address)> read_memory;
};

// `first`: the initial value on the stack (the CFA, for saved registers). Returns nullopt at an
// unknown operation, or if a value that the expression reads is unknown.
std::optional<uint64_t> evaluate(Bytes expression, std::optional<uint64_t> first,
                                 const ExpressionInput &input);

}  // namespace uscope::elf
