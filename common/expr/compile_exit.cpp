// Generates the code that determines, at a branch before a return, whether the function returns,
// the stack pointer with which it was entered, and what it returns. The map Exits describes each
// exit (bpf/lib/site.h).
#include <bit>
#include <cstddef>

#include "bpf/lib/site.h"
#include "expr/builder.h"

namespace uscope::expr {

// Puts the stack pointer of the function's entry into `dst`. Only for entries and exits.
void Builder::entry_stack(Reg dst)
{
    if (is_at_branch_)
        out_.load(8, dst, frame_reg, generate_.slot(Slot::ExitStack));
    else
        load_register(dst, abi::stack_pointer(request_.scope->machine));
}

// For a program some of whose sites are branches before returns: leaves if the branch does not lead
// to a return. Otherwise fills the slots that describe the exit.
void Builder::find_exit()
{
    site_number();
    out_.store(4, frame_reg, generate_.slot(Slot::MapKey), r0);
    lookup(MapSlot::Exits, generate_.slot(Slot::MapKey));
    out_.jump_imm(BPF_JEQ, r0, 0, silent_);
    out_.load(4, r1, r0, offsetof(site_exit, number));
    out_.store(4, frame_reg, generate_.slot(Slot::ExitNumber), r1);
    find_exit_stack();
    find_taken_way();
    out_.load(1, r1, r0, offsetof(site_exit, ways) + offsetof(site_way, returns));
    out_.jump_imm(BPF_JEQ, r1, 0, silent_);
    if (generate_.has_space(Slot::ExitValue))
        find_exit_value();
    is_at_branch_ = true;
}

// Expects the site_exit in r0, and keeps r0.
void Builder::find_exit_stack()
{
    Assembler::Label by_stack_pointer = out_.label();
    load_register(r1, abi::stack_pointer(abi::Machine::X86_64));
    out_.load(1, r2, r0, offsetof(site_exit, by_fp));
    out_.jump_imm(BPF_JEQ, r2, 0, by_stack_pointer);
    load_register(r1, *abi::find_register(abi::Machine::X86_64, "rbp"));
    out_.bind(by_stack_pointer);
    out_.load(8, r2, r0, offsetof(site_exit, stack));
    out_.alu(BPF_ADD, r1, r2);
    out_.store(8, frame_reg, generate_.slot(Slot::ExitStack), r1);
}

// Expects the site_exit in r0. Adds to r0 so that ways[0] is the way that the branch goes.
void Builder::find_taken_way()
{
    constexpr int sign = 7, overflow = 11;  // bits of EFLAGS
    Assembler::Label is_false = out_.label();
    load_register(r1, *abi::find_register(abi::Machine::X86_64, "eflags"));
    out_.move(r2, r1);
    out_.alu_imm(BPF_RSH, r2, sign);
    out_.move(r3, r1);
    out_.alu_imm(BPF_RSH, r3, overflow);
    out_.alu(BPF_XOR, r2, r3);
    out_.load(1, r3, r0, offsetof(site_exit, by_sign));
    out_.alu(BPF_AND, r2, r3);
    out_.load(4, r3, r0, offsetof(site_exit, flags));
    out_.alu(BPF_AND, r1, r3);
    out_.alu(BPF_OR, r1, r2);
    out_.jump_imm(BPF_JEQ, r1, 0, is_false);
    out_.set(r1, 1);
    out_.bind(is_false);
    out_.load(1, r2, r0, offsetof(site_exit, is_inverted));
    out_.alu(BPF_XOR, r1, r2);
    out_.alu_imm(BPF_AND, r1, 1);
    out_.alu_imm(BPF_LSH, r1, std::countr_zero(sizeof(site_way)));
    out_.alu(BPF_ADD, r0, r1);
}

// Expects the result of find_taken_way() in r0.
void Builder::find_exit_value()
{
    constexpr auto field = [](size_t offset) {
        return int16_t(offsetof(site_exit, ways) + offset);
    };
    int16_t value = generate_.slot(Slot::ExitValue);
    Assembler::Label in_register = out_.label(), is_signed = out_.label(), extended = out_.label(),
                     done = out_.label();
    out_.move(saved_reg, r0);
    out_.load(1, r3, saved_reg, field(offsetof(site_way, reg)));
    out_.jump_imm(BPF_JNE, r3, SITE_NO_REGISTER, in_register);
    out_.load(8, r1, saved_reg, field(offsetof(site_way, constant)));
    out_.jump(done);

    out_.bind(in_register);
    out_.alu(BPF_ADD, r3, ctx_reg);
    out_.set(r2, sizeof(uint64_t));
    generate_.stack_address(r1, value);
    out_.call(BPF_FUNC_probe_read_kernel);
    out_.load(8, r1, frame_reg, value);
    out_.load(1, r2, saved_reg, field(offsetof(site_way, shift)));
    out_.alu(BPF_LSH, r1, r2);
    out_.load(1, r3, saved_reg, field(offsetof(site_way, is_signed)));
    out_.jump_imm(BPF_JNE, r3, 0, is_signed);
    out_.alu(BPF_RSH, r1, r2);
    out_.jump(extended);
    out_.bind(is_signed);
    out_.alu(BPF_ARSH, r1, r2);
    out_.bind(extended);
    out_.load(1, r3, saved_reg, field(offsetof(site_way, is_narrow)));
    out_.jump_imm(BPF_JEQ, r3, 0, done);
    out_.alu_imm(BPF_LSH, r1, 32);
    out_.alu_imm(BPF_RSH, r1, 32);
    out_.bind(done);
    out_.store(8, frame_reg, value, r1);
}

}  // namespace uscope::expr
