// Evaluates DWARF expressions, which are programs for a small stack machine (DWARF 5, 2.5).
// Unwinding tables use them where "register + offset" cannot express the address of a frame or of a
// saved register: in procedure linkage tables, in functions that realign the stack, and in signal
// trampolines.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/bytes.h"

namespace uscope::elf {

struct ExpressionInput {
    // Both functions return nullopt if the value is unknown. Registers have DWARF's numbers.
    std::function<std::optional<uint64_t>(uint64_t reg)> read_register;
    std::function<std::optional<uint64_t>(uint64_t address)> read_memory;
};

// Returns the value on top of the stack after the last operation. `first` is on the stack at the
// start: expressions for saved registers expect the CFA there (the address where the frame begins).
// Returns nullopt if the expression has an unsupported operation, or reads a value that is unknown.
std::optional<uint64_t> evaluate(Bytes expression, std::optional<uint64_t> first,
                                 const ExpressionInput &input);

}  // namespace uscope::elf
