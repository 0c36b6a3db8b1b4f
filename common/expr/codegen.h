// Generates BPF instructions from checked expressions.
//
// Registers: r6 holds the context, r7 the record being filled, r8 the call record (the values that
// the entry program has saved), r9 a length while a string is read; r1-r5 hold the values being
// calculated. r0 never holds a value for long, so any code may overwrite it.
//
// Stack, from its upper end downwards: the slots that the program uses (enum Slot), then
// temporaries. A value that is needed after a call is stored in a temporary, not in a register:
// compared with a call, the store and the load cost nothing, and few expressions need them. Every
// byte of stack counts: since Linux 6.13, a program whose frame (rounded up to a multiple of 16)
// has 64 bytes or more runs on a stack of its own, and switching to that stack costs as much as
// several comparisons. So each program is generated twice: the first pass finds out which slots the
// program uses, the second allocates only these.
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
constexpr unsigned bit(Reg reg)  // a set of registers is an unsigned with these bits
{
    return 1u << reg;
}

// The fixed parts of a stack: results of helpers that may be needed again, and keys for maps.
enum class Slot : uint8_t {
    Ids,           // u32 tid, u32 tgid
    Owner,         // u32 uid, u32 gid
    Comm,          // 16 bytes
    Latency,       // u64 ns
    CallIdentity,  // 16 bytes, a key of the map Calls: see compile_call.cpp
    MapKey,        // u32; of the map Cgroups u64
    ExitStack,     // u64: at an exit, the stack pointer of the entry
    ExitNumber,    // u32: at an exit, the function's number, with SITE_BORROWED
    ExitValue,     // u64: at an exit, what the function returns
};
using Slots = unsigned;  // a set: bit N for the slot N

// A value in the call record that the entry program saves.
struct SavedItem {
    ExprRef value;               // a number or a Text, evaluated at entry
    uint32_t offset;             // in the call record
    uint32_t capacity;           // Text: most bytes that fit; number: 0
    uint32_t status_offset = 0;  // of the status of a number that can fail, as in Field
};

class Generator {
  public:
    using Label = Assembler::Label;

    // `placed`: the slots that get space on the stack. Code that uses other slots is wrong. In the
    // first of the two passes, no slot gets space, and the code is discarded.
    Generator(Assembler &out, const ProgramRequest &request, const std::vector<SavedItem> &saved,
              Slots placed);

    // The generated code continues if expr != 0. It jumps to `rejected` if expr is 0, or if a part
    // of expr that is evaluated has no value.
    void require(const Expr &expr, Label rejected);

    // Puts the value into `dst`; jumps to `unknown` if there is no value.
    void word(const Expr &expr, Reg dst, Label unknown);

    // An address: that in the register `base`, plus `offset` bytes.
    struct Location {
        Reg base;
        int32_t offset;
    };
    // Stores a Text as a StringSlot. If the text does not fit, jumps to `too_long` and leaves the
    // StringSlot undefined; if `too_long` is null, stores as much as fits.
    void text(const Expr &expr, Location to, uint32_t capacity, const Label *too_long);
    // Stores a structure in registers as a StringSlot.
    void parts(const Expr &expr, Location to);
    // Stores a number, 8 bytes. If expr.can_fail, also stores an int32 at `status`: 0, or the
    // reason why there is no value (-errno of a read, -EDOM for a division by zero); the number is
    // then 0.
    void number(const Expr &expr, Location to, Location status);

    // Each calls a helper and stores the result in its stack slot, unless the slot is already
    // filled. When uscope runs in a pid namespace of its own, ids() jumps to `unwanted` for
    // processes outside that namespace, so the first call of ids() must then pass `unwanted`.
    void ids(const Label *unwanted = nullptr);
    void owner();
    void comm();
    // Forgets which slots are filled. Call it before generating code that can be reached without
    // running the code that was generated so far.
    void begin_again() { available_ = 0; }

    int16_t slot(Slot slot);  // returns its offset from r10, in bytes
    bool has_space(Slot slot) const { return slots_[static_cast<size_t>(slot)] != 0; }
    Slots used_slots() const { return used_slots_; }
    void stack_address(Reg dst, int16_t offset);
    void address(Reg dst, Location at);
    void load(uint8_t size, Reg dst, Location at);
    void store(uint8_t size, Location at, Reg src, Reg scratch);

    // Temporaries on the stack, last in first out. `bytes` must be a multiple of 8; push() returns
    // the offset from r10.
    int16_t push(uint32_t bytes);
    void pop(uint32_t bytes);
    int deepest_stack() const { return deepest_; }

    // Generates the local functions that were called. Call once, after the program's last
    // instruction.
    void finish();
    bool reads_user_memory() const { return reads_user_memory_; }

  private:
    // Puts the value into `dst` (r1-r5 or r9). `busy`: the set of registers that must keep their
    // contents; empty if expr.calls. If expr.can_fail, failed_ must be set.
    void value(const Expr &expr, Reg dst, unsigned busy = 0);
    // Jumps to `target` if (expr != 0) == `when`, else continues.
    void condition(const Expr &expr, Label target, bool when, unsigned busy = 0);

    enum Available : unsigned { has_ids = 1, has_owner = 2, has_comm = 4 };

    bool is_returned_value(const Expr &expr) const;
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
    void fail_if_zero(Reg divisor);
    void apply_constant(const Expr &expr, Reg dst, uint64_t value);
    void signed_divide(bool modulo, Reg dst, Reg src);
    void compare(const Expr &expr, Label target, bool when, unsigned busy);
    void text_equal(const Expr &expr, Label target, bool when);
    void compare_text(const Expr &text, const Expr &test, Label different);
    void compare_bytes(const std::string &bytes, Location at, Label different);
    void contains(const Expr &text, const std::string &wanted, Label different);
    void search_memory(const Expr &text, const std::string &wanted, Label found, Label different);
    void read_piece(const Expr &text, int16_t buffer, int16_t cursor, int16_t left, bool with_end,
                    Label unreadable);
    void find(Location at, uint32_t capacity, const std::string &wanted, Label found,
              Label different);
    void compare_c_string(const Expr &text, const Expr &test, Label different);
    void compare_counted(const Expr &text, const Expr &test, Label different);
    void compare_saved(const Expr &text, const Expr &test, Label different);
    void text_value(const Expr &expr, Location to, uint32_t capacity, const Label *too_long);
    void c_string(const Expr &expr, Location to, uint32_t capacity, const Label *too_long);
    void counted(const Expr &expr, Location to, uint32_t capacity, const Label *too_long);
    void wide(const Expr &expr, Location to, uint32_t capacity);
    void saved_text(const Expr &expr, Location to, uint32_t capacity, const Label *too_long);
    void store_failure(Location to);
    void store_string_result(Location to, uint32_t capacity, const Label *too_long);
    void clamp_length(bool is_signed, Location to, uint32_t capacity, const Label *too_long);
    void text_address(const Expr &text);
    void text_length(const Expr &text);
    const SavedItem &saved_item(const Expr &value) const;
    Reg free_register(unsigned busy) const;

    // Both expect the destination in r1, the size in bytes in r2, and the source address in r3.
    void read_memory(Space space);
    void read_string(Space space);
    void read_memory_function();
    void read_string_function();

    Assembler &out_;
    const ProgramRequest &request_;
    const std::vector<SavedItem> &saved_;
    unsigned available_ = 0;  // the helper results (Available) that are in their slots
    std::array<int16_t, 9> slots_ = {};
    Slots used_slots_ = 0;
    int depth_ = 0, deepest_ = 0;  // bytes of stack
    // Where the generated code jumps, with the error in r0, if the expression being evaluated has
    // no value.
    const Label *failed_ = nullptr;
    bool reads_user_memory_ = false;
    std::optional<Label> memory_function_, string_function_;
};

}  // namespace uscope::expr
