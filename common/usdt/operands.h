// Parses the argument text of a USDT note into operands.
//
// (The implementation file opens with the grammar and one worked example.)
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/operand.h"

namespace uscope::usdt {

// The properties of the file that the meaning of a note's text depends on.
struct OperandContext {
    abi::Machine machine = abi::host_machine;
    uint64_t vaddr = 0;  // the probe's location, the base of ip-relative operands
    // Returns the address of a named object of the file, for `4@NBuffers(%rip)`; nullopt: there is
    // none.
    std::function<std::optional<uint64_t>(std::string_view)> find_object = {};
    // The file runs at its link addresses (ET_EXEC). Only then are `8@$table`, `8@0x601040` and
    // `8@table(%rax)` meaningful.
    bool fixed_addresses = false;
};

struct NotedOperand {
    std::string_view text;  // the argument's text in the note, "4@NBuffers(%rip)"
    // An ip-relative operand has base = ip, value = target - location; a constant is already
    // extended from its size.
    abi::Operand operand;
    uint64_t size = 0;          // bytes of the whole value; `operand` may be its first 8
    std::string symbol;         // the symbol in the text, or ""
    int64_t symbol_offset = 0;  // the number added to it: 40 in `40+CheckpointStats(%rip)`
};

// Returns one entry for each argument of the note. Operands that cannot be read are
// Kind::Unsupported with `why`, so that one odd operand (xmm, 16f@) never loses the probe. Never
// fails.
std::vector<NotedOperand> parse_operands(std::string_view text, const OperandContext &context);

}  // namespace uscope::usdt
