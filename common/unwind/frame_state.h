// Tracks rsp and rbp along a path through x86-64 code.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "bpf/unwind/unwind.h"
#include "insn/parts.h"

namespace uscope::unwind {

inline constexpr unsigned rsp = 4, rbp = 5;  // their numbers in instructions

// What a register contains. Sp, Fp: the value that rsp or rbp had at the start of the path, plus
// `offset`. AtSp, AtFp: the word in memory at that address.
struct Value {
    enum class From : uint8_t { Unknown, Sp, Fp, AtSp, AtFp };

    From from = From::Unknown;
    int64_t offset = 0;

    bool is_address() const { return from == From::Sp || from == From::Fp; }
    Value moved(int64_t by) const { return {from, offset + by}; }
    Value content() const
    {
        return is_address() ? Value{from == From::Sp ? From::AtSp : From::AtFp, offset} : Value();
    }
    bool operator==(const Value &) const = default;
};

// The registers after the instructions of the path so far.
struct FrameState {
    using From = Value::From;

    Value sp = {From::Sp}, fp = {From::Fp};
    std::vector<Value> saved_at = {};  // where this path has saved the frame pointer

    // Executes one instruction. Returns false if the registers have moved too far to be believed.
    bool execute(Bytes code, const insn::Parts &parts);
    // The rule for the frame at the start of the path, if this path now executes a return
    // instruction. nullopt: rsp is not at a known distance from its initial value, or rbp not the
    // caller's.
    std::optional<unwind_rule> rule_of_return() const;
    // The rule for the frame at the end of the path, if the path started at a function's first
    // instruction. nullopt: rsp or the saved rbp is not at a known distance from the CFA.
    std::optional<unwind_rule> rule_since_entry() const;

  private:
    void push(bool is_fp);
    void save_at(Value address);
    Value read(Value at) const;
    Value operand(Bytes code, const insn::Parts &parts) const;
    Value *tracked_operand(const insn::Parts &parts);
    Value *tracked_register(const insn::Parts &parts);
    Value *tracked(unsigned number, bool is_extended);
    void move(Bytes code, const insn::Parts &parts, bool is_to_operand);
    void add_constant(Bytes code, const insn::Parts &parts);
    void compute(const insn::Parts &parts);
    void change(Bytes code, const insn::Parts &parts);
};

}  // namespace uscope::unwind
