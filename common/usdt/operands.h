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

// What the note's text can only mean together with its file.
struct OperandContext {
    abi::Machine machine = abi::host_machine;
    uint64_t vaddr = 0;  // of the probe's location: ip-relative operands count from here
    // The address of a named object of the file, for `4@NBuffers(%rip)`.
    std::function<std::optional<uint64_t>(std::string_view)> find_object = {};
    // The file runs at the addresses it was linked for (ET_EXEC): only then do `8@$table`,
    // `8@0x601040` and `8@table(%rax)` mean something.
    bool fixed_addresses = false;
};

struct NotedOperand {
    std::string_view text;      // the piece of the note, "4@NBuffers(%rip)"
    abi::Operand operand;       // ip-relative ones become base = ip, value = target - location;
                                // a constant's value is already extended from its size
    uint64_t size = 0;          // bytes of the whole value, of which `operand` may be the first 8
    std::string symbol;         // the name inside, if there was one
    int64_t symbol_offset = 0;  // what is added to it: 40 of `40+CheckpointStats(%rip)`
};

// One entry an argument, always as many as the note has: what cannot be read is Kind::Unsupported
// with `why`, so that one odd operand (xmm, 16f@) never loses the probe. No input makes it
// fail.
std::vector<NotedOperand> parse_operands(std::string_view text, const OperandContext &context);

}  // namespace uscope::usdt
