// Parses the text with which a USDT note describes the arguments of a probe, for example
// "-4@%edi 8@16(%rsp)", into one operand for each argument.
//
// (operands.cpp starts with the grammar and a worked example.)
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/operand.h"
#include "elf/functions.h"
#include "usdt/notes.h"

namespace uscope::usdt {

// The facts about the file and the probe that the text does not contain.
struct OperandContext {
    abi::Machine machine = abi::host_machine;
    uint64_t vaddr = 0;  // address of the probe's nop, which ip-relative operands add to
    // Returns the address of the file's data symbol with this name, such as NBuffers in
    // `4@NBuffers(%rip)`; nullopt if the file has no such symbol.
    std::function<std::optional<uint64_t>(std::string_view)> find_object = {};
    // True for a program that the kernel loads at the addresses in the file (ET_EXEC). Operands
    // that contain the address of data, such as `8@$table`, `8@0x601040` and `8@table(%rax)`, can
    // only be read then.
    bool fixed_addresses = false;
};

struct NotedOperand {
    std::string_view text;  // the argument in the note: "4@NBuffers(%rip)"
    // Where the value is. For an ip-relative operand, the base is the instruction pointer and the
    // displacement is the distance from the probe's nop. A constant is already extended from the
    // argument's size to 64 bits.
    abi::Operand operand;
    uint64_t size = 0;          // bytes of the value; if more than 8, `operand` is the first 8
    std::string symbol;         // name of the symbol in the text; "": none
    int64_t symbol_offset = 0;  // the number added to the symbol: 40 in `40+CheckpointStats(%rip)`
};

// Returns one entry for each argument of the note. Never fails: an operand that a probe cannot read
// (xmm registers, 16f@) has Kind::Unsupported and says `why`, and the other arguments of the probe
// can still be used.
std::vector<NotedOperand> parse_operands(std::string_view text, const OperandContext &context);

// Returns the operands of a probe in a file; none if the file is for an unknown architecture.
// `symbols`: for elf::find_object(). The results refer to `location`.
std::vector<NotedOperand> read_operands(const elf::Image &image, const Location &location,
                                        const elf::SymbolOptions &symbols);

}  // namespace uscope::usdt
