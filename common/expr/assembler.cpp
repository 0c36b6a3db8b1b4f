// Encodes BPF instructions; finish() fills in the distances of jumps and of local calls.
#include "expr/assembler.h"

namespace uscope::expr {
namespace {

uint8_t width(uint8_t size)
{
    return size == 1 ? BPF_B : size == 2 ? BPF_H : size == 4 ? BPF_W : BPF_DW;
}

}  // namespace

void Assembler::emit(uint8_t code, Reg dst, Reg src, int16_t offset, int32_t immediate)
{
    insns_.push_back(
        {.code = code, .dst_reg = dst, .src_reg = src, .off = offset, .imm = immediate});
}

void Assembler::emit_wide(Reg dst, Reg src, uint64_t value)
{
    emit(BPF_LD | BPF_DW | BPF_IMM, dst, src, 0, static_cast<int32_t>(value));
    emit(0, 0, 0, 0, static_cast<int32_t>(value >> 32));
}

Assembler::Label Assembler::label()
{
    labels_.push_back(SIZE_MAX);
    return {labels_.size() - 1};
}

void Assembler::bind(Label label)
{
    labels_[label.index] = insns_.size();
}

void Assembler::alu(uint8_t op, Reg dst, Reg src)
{
    emit(BPF_ALU64 | op | BPF_X, dst, src, 0, 0);
}

void Assembler::alu_imm(uint8_t op, Reg dst, int32_t value)
{
    emit(BPF_ALU64 | op | BPF_K, dst, 0, 0, value);
}

void Assembler::alu32(uint8_t op, Reg dst, Reg src)
{
    emit(BPF_ALU | op | BPF_X, dst, src, 0, 0);
}

void Assembler::negate(Reg dst)
{
    emit(BPF_ALU64 | BPF_NEG, dst, 0, 0, 0);
}

void Assembler::swap_bytes(Reg dst, uint8_t size)
{
    emit(BPF_ALU | BPF_END | BPF_TO_BE, dst, 0, 0, size * 8);  // the processor is little-endian
}

void Assembler::move(Reg dst, Reg src)
{
    if (dst != src)
        alu(BPF_MOV, dst, src);
}

void Assembler::set(Reg dst, uint64_t value)
{
    if (fits_immediate(value))
        alu_imm(BPF_MOV, dst, static_cast<int32_t>(value));
    else
        emit_wide(dst, 0, value);
}

void Assembler::add(Reg dst, uint64_t value, Reg scratch)
{
    if (value == 0)
        return;
    if (fits_immediate(value))
        return alu_imm(BPF_ADD, dst, static_cast<int32_t>(value));
    set(scratch, value);
    alu(BPF_ADD, dst, scratch);
}

void Assembler::extend(Reg dst, uint8_t size, bool is_signed)
{
    if (size >= 8)
        return;
    if (!is_signed && size < 4)
        return alu_imm(BPF_AND, dst, size == 1 ? 0xff : 0xffff);
    if (!is_signed)
        return alu32(BPF_MOV, dst, dst);
    alu_imm(BPF_LSH, dst, 64 - size * 8);
    alu_imm(BPF_ARSH, dst, 64 - size * 8);
}

void Assembler::load(uint8_t size, Reg dst, Reg base, int16_t offset)
{
    emit(BPF_LDX | BPF_MEM | width(size), dst, base, offset, 0);
}

void Assembler::store(uint8_t size, Reg base, int16_t offset, Reg src)
{
    emit(BPF_STX | BPF_MEM | width(size), base, src, offset, 0);
}

void Assembler::add_atomically(Reg base, int16_t offset, Reg value)
{
    emit(BPF_STX | BPF_XADD | BPF_DW, base, value, offset, 0);
}

void Assembler::store_imm(uint8_t size, Reg base, int16_t offset, int32_t value)
{
    emit(BPF_ST | BPF_MEM | width(size), base, 0, offset, value);
}

void Assembler::jump(Label target)
{
    fixups_.push_back({insns_.size(), target.index});
    emit(BPF_JMP | BPF_JA, 0, 0, 0, 0);
}

void Assembler::jump(uint8_t op, Reg left, Reg right, Label target)
{
    fixups_.push_back({insns_.size(), target.index});
    emit(BPF_JMP | op | BPF_X, left, right, 0, 0);
}

void Assembler::jump_imm(uint8_t op, Reg left, int32_t right, Label target)
{
    fixups_.push_back({insns_.size(), target.index});
    emit(BPF_JMP | op | BPF_K, left, 0, 0, right);
}

void Assembler::call(bpf_func_id helper)
{
    emit(BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

void Assembler::call(Label local)
{
    fixups_.push_back({insns_.size(), local.index});
    emit(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0);
}

void Assembler::call(std::string function)
{
    calls_.push_back({insns_.size(), std::move(function)});
    emit(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, -1);
}

void Assembler::call_kernel(uint32_t function)
{
    emit(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, function);
}

void Assembler::load_map(Reg dst, MapSlot map)
{
    maps_.push_back({insns_.size(), map});
    emit_wide(dst, BPF_PSEUDO_MAP_FD, 0);
}

void Assembler::exit()
{
    emit(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

Result<> Assembler::finish(Program &program)
{
    for (const Fixup &fixup : fixups_) {
        bpf_insn &insn = insns_[fixup.insn];
        int64_t distance =
            static_cast<int64_t>(labels_[fixup.label]) - static_cast<int64_t>(fixup.insn) - 1;
        if (insn.code == (BPF_JMP | BPF_CALL)) {
            insn.imm = distance;
            continue;
        }
        if (distance < INT16_MIN || distance > INT16_MAX)
            return fail("the expressions are too long for one program");
        insn.off = distance;
    }
    program.insns = std::move(insns_);
    program.maps = std::move(maps_);
    program.calls = std::move(calls_);
    return {};
}

}  // namespace uscope::expr
