// Assembles BPF instructions; jumps go to labels that are bound later.
//
// A BPF instruction is 8 bytes: opcode, destination and source register (4 bits each), a signed
// 16-bit offset (jump distance in instructions, or bytes from a base register) and a signed 32-bit
// immediate, which 64-bit operations sign-extend. Only a 64-bit constant (ld_imm64) takes two
// instructions. r0 holds a call's result, r1-r5 its arguments; a call clobbers all six. r6-r9
// survive calls, and r10 points to the end of the 512-byte stack. For example
//
//     b7 01 00 00 ff ff ff ff    r1 = -1           BPF_ALU64 | BPF_MOV | BPF_K
//     79 62 70 00 00 00 00 00    r2 = *(u64 *)(r6 + 112)     BPF_LDX | BPF_MEM | BPF_DW
#pragma once

#include "expr/program.h"

namespace uscope::expr {

using Reg = uint8_t;  // a register: BPF_REG_0 …

class Assembler {
  public:
    struct Label {  // a target of jumps and calls
        size_t index;
    };
    Label label();
    void bind(Label label);  // the label means the next instruction that is emitted

    // `op` is BPF_ADD, BPF_MOV, …; the 32-bit forms clear the upper half of the register.
    void alu(uint8_t op, Reg dst, Reg src);
    void alu_imm(uint8_t op, Reg dst, int32_t value);
    void alu32(uint8_t op, Reg dst, Reg src);
    void negate(Reg dst);
    void swap_bytes(Reg dst, uint8_t size);  // the low 2, 4 or 8 bytes; clears the others
    void move(Reg dst, Reg src);             // emits nothing if dst == src
    void set(Reg dst, uint64_t value);
    void add(Reg dst, uint64_t value, Reg scratch);  // clobbers scratch if value exceeds 32 bits
    // Keeps the low `size` bytes, sign- or zero-extended to the whole register.
    void extend(Reg dst, uint8_t size, bool is_signed);

    void load(uint8_t size, Reg dst, Reg base, int16_t offset);
    void store(uint8_t size, Reg base, int16_t offset, Reg src);
    void add_atomically(Reg base, int16_t offset, Reg value);  // to 8 bytes
    void store_imm(uint8_t size, Reg base, int16_t offset, int32_t value);

    void jump(Label target);
    // Jump if the comparison `op` (BPF_JEQ, BPF_JSLT, …) of two 64-bit values is true.
    void jump(uint8_t op, Reg left, Reg right, Label target);
    void jump_imm(uint8_t op, Reg left, int32_t right, Label target);

    void call(bpf_func_id helper);
    void call(Label local);               // a function in this program
    void call(std::string function);      // a C function: see Program::CallUse
    void call_kernel(uint32_t function);  // `function`: its type id in the kernel's BTF
    void load_map(Reg dst, MapSlot map);
    void exit();

    // Resolves the labels and moves everything into `program`. Fails if a jump is too far.
    Result<> finish(Program &program);

  private:
    void emit(uint8_t code, Reg dst, Reg src, int16_t offset, int32_t immediate);
    void emit_wide(Reg dst, Reg src, uint64_t value);

    struct Fixup {  // a jump or call whose distance finish() fills in
        size_t insn, label;
    };
    std::vector<bpf_insn> insns_;
    std::vector<size_t> labels_;  // the index of each label's instruction
    std::vector<Fixup> fixups_;
    std::vector<Program::MapUse> maps_;
    std::vector<Program::CallUse> calls_;
};

constexpr bool fits_immediate(uint64_t value)
{
    return static_cast<uint64_t>(static_cast<int32_t>(value)) == value;
}

}  // namespace uscope::expr
