// Checked expressions -> instructions.
//
// Registers: r6 the context, r7 the record being filled, r8 the call record (what was saved at
// entry), r9 a length while a string is read; r1-r5 hold the values being calculated, r0 is free
// for a moment anywhere.
//
// Stack, from its end downwards: the slots that the program uses, then temporaries. A value that
// must outlive a call waits in such a temporary, not in a register: next to a call's cost the store
// and the load are nothing, and nearly every expression needs none. Every byte counts: kernels from
// 6.13 on give a program whose frame has 64 bytes or more (rounded up to 16) a stack of its own,
// and switching to it costs as much as several comparisons. So a program is generated twice: the
// first pass finds out which slots it uses, and only these have a place in the second.
#pragma once

#include <array>

#include "expr/assembler.h"
#include "expr/compile.h"
#include "expr/parse.h"
#include "expr/tree.h"

namespace uscope::expr {

constexpr Reg r0 = BPF_REG_0, r1 = BPF_REG_1, r2 = BPF_REG_2, r3 = BPF_REG_3, r4 = BPF_REG_4,
              r5 = BPF_REG_5, ctx_reg = BPF_REG_6, record_reg = BPF_REG_7, saved_reg = BPF_REG_8,
              length_reg = BPF_REG_9, frame_reg = BPF_REG_10;
constexpr unsigned bit(Reg reg)  // in sets of registers
{
    return 1u << reg;
}

// Values that helpers gave and that may be wanted again; keys for maps.
enum class Slot : uint8_t {
    Ids,           // u32 tid, u32 tgid
    Owner,         // u32 uid, u32 gid
    Comm,          // 16 bytes
    Latency,       // u64 ns
    CallIdentity,  // of the map Calls, 16 bytes: compile_call.cpp
    MapKey,        // u32
};
using Slots = unsigned;  // as bits

// A value of the entry program's call record.
struct SavedItem {
    ExprRef value;               // as it is at entry: a number or a Text
    uint32_t offset;             // in the call record
    uint32_t capacity;           // of a Text
    uint32_t status_offset = 0;  // of a number that can fail, as in Field
};

class Generator {
  public:
    using Label = Assembler::Label;

    // `placed`: the slots that have a place. What is generated is wrong when others are used.
    Generator(Assembler &out, const ProgramRequest &request, const std::vector<SavedItem> &saved,
              Slots placed);

    // Goes on if expr != 0. Else, and also when any part of it that is evaluated has no value,
    // jumps to `rejected`.
    void require(const Expr &expr, Label rejected);

    // The value into `dst`; when it has none, goes to `unknown`.
    void word(const Expr &expr, Reg dst, Label unknown);

    // Where a value or string goes: [base + offset], base being r7 or r10.
    struct MemoryPlace {
        Reg base;
        int32_t offset;
    };
    // A Text as a StringSlot. If `too_long` is given: goes there when it does not fit, leaving the
    // slot undefined.
    void text(const Expr &expr, MemoryPlace place, uint32_t capacity, const Label *too_long);
    // 8 bytes. Where expr.can_fail, an int32 at `status` becomes 0, or says why there is no value:
    // the error of a read, -EDOM after a division by zero. The number is 0 then.
    void number(const Expr &expr, MemoryPlace place, MemoryPlace status);

    // Put what a helper gives into its stack slot, unless it is there. With a pid namespace of our
    // own, processes outside it go to `unwanted`; ids() is then called before anything uses them.
    void ids(const Label *unwanted = nullptr);
    void owner();
    void comm();
    // Another run of the program: what a helper gave is not there.
    void begin_again() { available_ = 0; }

    int16_t slot(Slot slot);  // where it is: bytes from r10
    Slots used_slots() const { return used_slots_; }
    void stack_address(Reg dst, int16_t offset);
    void address(Reg dst, MemoryPlace place);
    void load(uint8_t size, Reg dst, MemoryPlace place);
    void store(uint8_t size, MemoryPlace place, Reg src, Reg scratch);

    // Temporaries, last in first out. Multiples of 8 bytes.
    int16_t push(uint32_t bytes);
    void pop(uint32_t bytes);
    int deepest_stack() const { return deepest_; }

    // The local functions that were called; once, after the program's last instruction.
    void finish();
    bool reads_user_memory() const { return reads_user_memory_; }

  private:
    // The value into `dst` (r1-r5 or r9). `busy`: registers, as bits, that must keep what they
    // hold; none when expr.calls. Where expr.can_fail, failed_ is given.
    void value(const Expr &expr, Reg dst, unsigned busy = 0);
    // Jumps to `target` if (expr != 0) == `when`, else goes on.
    void condition(const Expr &expr, Label target, bool when, unsigned busy = 0);

    enum Available : unsigned { has_ids = 1, has_owner = 2, has_comm = 4 };

    void builtin(const Expr &expr, Reg dst);
    void truth(const Expr &expr, Reg dst, unsigned busy);
    void load(const Expr &expr, Reg dst);
    void saved(const Expr &expr, Reg dst);
    void convert(const Expr &expr, Reg dst, unsigned busy);
    void choose(const Expr &expr, Reg dst, unsigned busy);
    void unary(const Expr &expr, Reg dst, unsigned busy);
    void binary(const Expr &expr, Reg dst, unsigned busy);
    void operands(const Expr &expr, Reg left, Reg *right, unsigned busy);
    void apply(const Expr &expr, Reg dst, Reg src);
    void refuse_zero(Reg divisor);
    void apply_constant(const Expr &expr, Reg dst, uint64_t value);
    void signed_divide(bool modulo, Reg dst, Reg src);
    void compare(const Expr &expr, Label target, bool when, unsigned busy);
    void text_equal(const Expr &expr, Label target, bool when);
    void compare_bytes(const std::string &bytes, MemoryPlace place, Label different);
    void compare_c_string(const Expr &text, const Expr &test, Label different);
    void compare_counted(const Expr &text, const Expr &test, Label different);
    void compare_saved(const Expr &text, const Expr &test, Label different);
    void text_value(const Expr &expr, MemoryPlace place, uint32_t capacity, const Label *too_long);
    void c_string(const Expr &expr, MemoryPlace place, uint32_t capacity, const Label *too_long);
    void counted(const Expr &expr, MemoryPlace place, uint32_t capacity, const Label *too_long);
    void saved_text(const Expr &expr, MemoryPlace place, uint32_t capacity, const Label *too_long);
    void store_string_result(MemoryPlace place, uint32_t capacity, const Label *too_long);
    void clamp_length(bool is_signed, MemoryPlace place, uint32_t capacity, const Label *too_long);
    void text_address(const Expr &text);
    void text_length(const Expr &text);
    const SavedItem &saved_item(const Expr &value) const;
    Reg free_register(unsigned busy) const;

    // r1 = destination, r2 = size, r3 = source, as prepared.
    void read_memory(Space space);
    void read_string(Space space);
    void read_memory_function();
    void read_string_function();

    Assembler &out_;
    const ProgramRequest &request_;
    const std::vector<SavedItem> &saved_;
    unsigned available_ = 0;
    std::array<int16_t, 6> slots_ = {};
    Slots used_slots_ = 0;
    int depth_ = 0, deepest_ = 0;
    // Where to go, with the error in r0, when what is being evaluated has no value.
    const Label *failed_ = nullptr;
    bool reads_user_memory_ = false;
    std::optional<Label> memory_function_, string_function_;
};

}  // namespace uscope::expr
