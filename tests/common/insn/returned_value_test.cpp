#include "insn/returned_value.h"

#include <string>
#include <vector>

#include <Zydis/Zydis.h>
#include <gtest/gtest.h>

#include "base/format.h"

using namespace uscope;
using namespace uscope::insn;

namespace {

using Code = std::vector<uint8_t>;
using From = ReturnedValue::From;

// What the function returns if these instructions and then `ret` follow.
ReturnedValue returned(const std::vector<Code> &instructions)
{
    ReturnedValueState state;
    for (const Code &code : instructions) {
        Bytes bytes(code.data(), code.size());
        auto parts = take_apart(bytes);
        EXPECT_TRUE(parts && parts->length == code.size());
        if (parts)
            state.execute(*parts, bytes);
    }
    return state.value();
}

uint16_t written(const Code &code)
{
    return written_registers(*take_apart(Bytes(code.data(), code.size())));
}

bool writes_memory(const Code &code)
{
    Bytes bytes(code.data(), code.size());
    return may_write_memory(*take_apart(bytes), bytes);
}

const Code pop_rbx = {0x5b}, add_rsp = {0x48, 0x83, 0xc4, 0x08};

TEST(ReturnedValue, IsTheRegisterIfNothingWritesIt)
{
    ReturnedValue value = returned({add_rsp, pop_rbx});
    EXPECT_EQ(value, ReturnedValue());
    EXPECT_EQ(value.bits, 64);
}

TEST(ReturnedValue, IsACopyOfARegister)
{
    // mov %rbx,%rax; mov %ebp,%eax; mov %r12,%rax (by 8b)
    EXPECT_EQ(returned({{0x48, 0x89, 0xd8}, pop_rbx}), (ReturnedValue{.reg = 3}));
    EXPECT_EQ(returned({{0x89, 0xe8}}), (ReturnedValue{.reg = 5, .bits = 32, .is_narrow = true}));
    EXPECT_EQ(returned({{0x49, 0x8b, 0xc4}}), (ReturnedValue{.reg = 12}));
    // movzbl %bl,%eax; movslq %ebx,%rax; mov %ebx,%eax; cltq
    EXPECT_EQ(returned({{0x0f, 0xb6, 0xc3}}), (ReturnedValue{.reg = 3, .bits = 8}));
    EXPECT_EQ(returned({{0x48, 0x63, 0xc3}}),
              (ReturnedValue{.reg = 3, .bits = 32, .is_signed = true}));
    EXPECT_EQ(returned({{0x89, 0xd8}, {0x48, 0x98}}),
              (ReturnedValue{.reg = 3, .bits = 32, .is_signed = true}));
    // movsbl %bl,%eax: sign-extended to 32 bits only
    EXPECT_EQ(returned({{0x0f, 0xbe, 0xc3}}),
              (ReturnedValue{.reg = 3, .bits = 8, .is_signed = true, .is_narrow = true}));
}

TEST(ReturnedValue, IsUnknownIfTheRegisterHasChanged)
{
    EXPECT_FALSE(returned({pop_rbx, {0x48, 0x89, 0xd8}}).is_known());
    // movzbl %bh,%eax (no number for %bh); movzwl %ax,%eax after movzbl
    EXPECT_FALSE(returned({{0x0f, 0xb6, 0xc7}}).is_known());
    EXPECT_FALSE(returned({{0x0f, 0xb6, 0xc3}, {0x0f, 0xb7, 0xc0}}).is_known());
}

TEST(ReturnedValue, IsAConstant)
{
    // xor %eax,%eax; mov $7,%eax; mov $-1,%eax; mov $-1,%rax; or $-1,%eax; or $-1,%rax
    auto constant = [](int64_t number) {
        return ReturnedValue{.from = From::Constant, .constant = number};
    };
    EXPECT_EQ(returned({{0x31, 0xc0}}), constant(0));
    EXPECT_EQ(returned({{0xb8, 7, 0, 0, 0}}), constant(7));
    EXPECT_EQ(returned({{0xb8, 0xff, 0xff, 0xff, 0xff}}), constant(0xffffffff));
    EXPECT_EQ(returned({{0x48, 0xc7, 0xc0, 0xff, 0xff, 0xff, 0xff}}), constant(-1));
    EXPECT_EQ(returned({{0x83, 0xc8, 0xff}}), constant(0xffffffff));
    EXPECT_EQ(returned({{0x48, 0x83, 0xc8, 0xff}}), constant(-1));
}

TEST(ReturnedValue, IsUnknownIfItIsComputedOrLoaded)
{
    // sete %al; add $1,%eax; mov 8(%rsp),%rax; lea 1(%rax),%eax; mov $1,%al; pop %rax
    for (const Code &code : std::vector<Code>{{0x0f, 0x94, 0xc0},
                                              {0x83, 0xc0, 0x01},
                                              {0x48, 0x8b, 0x44, 0x24, 0x08},
                                              {0x8d, 0x40, 0x01},
                                              {0xb0, 0x01},
                                              {0x58}})
        EXPECT_FALSE(returned({code}).is_known());
}

TEST(WrittenRegisters, AreThoseOfTheDestination)
{
    EXPECT_EQ(written({0x48, 0x39, 0xd8}), 0);                   // cmp %rbx,%rax
    EXPECT_EQ(written({0x48, 0x85, 0xc0}), 0);                   // test %rax,%rax
    EXPECT_EQ(written({0x4c, 0x89, 0xe0}), 1);                   // mov %r12,%rax
    EXPECT_EQ(written({0x49, 0x89, 0xc4}), 1 << 12);             // mov %rax,%r12
    EXPECT_EQ(written({0x89, 0x03}), 0);                         // mov %eax,(%rbx)
    EXPECT_EQ(written({0x41, 0x5c}), 1 << 12 | 1 << 4);          // pop %r12
    EXPECT_EQ(written({0xc9}), 1 << 4 | 1 << 5);                 // leave
    EXPECT_EQ(written({0xb4, 0x01}), 1);                         // mov $1,%ah
    EXPECT_EQ(written({0x0f, 0x94, 0xc2}), 1 << 2);              // sete %dl
    EXPECT_EQ(written({0x66, 0x0f, 0xef, 0xe4}), 0);             // pxor %xmm4,%xmm4
    EXPECT_EQ(written({0xc5, 0xf8, 0x77}), 0);                   // vzeroupper
    EXPECT_EQ(written({0xc4, 0xe2, 0x60, 0xf2, 0xc0}), 0xffff);  // andn %eax,%ebx,%eax
    EXPECT_EQ(written({0x0f, 0xa2}), 0xffff);                    // cpuid
    EXPECT_EQ(written({0xf3, 0xa4}), 0xffff);                    // rep movsb
    EXPECT_EQ(written({0xf3, 0x48, 0x0f, 0x1e, 0xc8}), 1);       // rdsspq %rax
    EXPECT_EQ(written({0xf3, 0x0f, 0x1e, 0xfa}), 0);             // endbr64
}

TEST(WritesMemory, UnlessItIsTheStackOrOnlyReads)
{
    EXPECT_TRUE(writes_memory({0x89, 0x03}));               // mov %eax,(%rbx)
    EXPECT_TRUE(writes_memory({0x89, 0x45, 0xfc}));         // mov %eax,-4(%rbp)
    EXPECT_FALSE(writes_memory({0x89, 0x44, 0x24, 0x08}));  // mov %eax,8(%rsp)
    EXPECT_TRUE(writes_memory({0x64, 0x89, 0x04, 0x24}));   // mov %eax,%fs:(%rsp)
    EXPECT_TRUE(writes_memory({0x89, 0x44, 0x1c, 0x08}));   // mov %eax,8(%rsp,%rbx)
    EXPECT_FALSE(writes_memory({0x8b, 0x03}));              // mov (%rbx),%eax
    EXPECT_FALSE(writes_memory({0x83, 0x3b, 0x00}));        // cmpl $0,(%rbx)
    EXPECT_TRUE(writes_memory({0x83, 0x03, 0x01}));         // addl $1,(%rbx)
    EXPECT_TRUE(writes_memory({0xf0, 0x0f, 0xb1, 0x0b}));   // lock cmpxchg %ecx,(%rbx)
    EXPECT_TRUE(writes_memory({0xf3, 0xa4}));               // rep movsb
    EXPECT_TRUE(writes_memory({0x0f, 0x11, 0x03}));         // movups %xmm0,(%rbx)
    EXPECT_FALSE(writes_memory({0x0f, 0x10, 0x03}));        // movups (%rbx),%xmm0
    EXPECT_TRUE(writes_memory({0xc5, 0xfa, 0x7f, 0x03}));   // vmovdqu %xmm0,(%rbx)
    EXPECT_TRUE(writes_memory({0x66, 0x0f, 0xf7, 0xc1}));   // maskmovdqu %xmm1,%xmm0
    EXPECT_FALSE(writes_memory({0x5b}));                    // pop %rbx
    EXPECT_FALSE(writes_memory({0x48, 0x89, 0xd8}));        // mov %rbx,%rax
}

// --- against Zydis -------------------------------------------------------------------------------

// What an instruction writes. Memory: other than at the stack pointer plus a constant.
struct Effects {
    unsigned length = 0;  // 0: not a valid instruction
    uint16_t registers = 0;
    bool memory = false;
};

class WritesByZydis {
  public:
    WritesByZydis()
    {
        ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    }

    Effects effects(Bytes code) const
    {
        ZydisDecodedInstruction instruction;
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder_, code.data(), code.size(), &instruction,
                                                 operands)))
            return {};
        // Instructions of the first Xeon Phi, which no other x86-64 processor has.
        if (instruction.meta.isa_ext == ZYDIS_ISA_EXT_KNC ||
            instruction.meta.isa_ext == ZYDIS_ISA_EXT_KNCV)
            return {};
        Effects effects = {.length = instruction.length};
        for (unsigned i = 0; i < instruction.operand_count; i++) {
            if (operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
                add(operands[i], effects);
        }
        return effects;
    }

  private:
    static void add(const ZydisDecodedOperand &operand, Effects &effects)
    {
        if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) {
            int number =
                ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operand.reg.value) -
                ZYDIS_REGISTER_RAX;
            effects.registers |= number >= 0 && number < 16 ? 1 << number : 0;
        }
        const auto &memory = operand.mem;
        bool is_stack = memory.base == ZYDIS_REGISTER_RSP && memory.index == ZYDIS_REGISTER_NONE &&
                        memory.segment == ZYDIS_REGISTER_SS;
        effects.memory |= operand.type == ZYDIS_OPERAND_TYPE_MEMORY && !is_stack;
    }

    ZydisDecoder decoder_;
};

// Ours may say that more is written. Where all registers may be, memory does not matter.
void expect_no_less(Bytes code, const Effects &effects)
{
    auto parts = take_apart(code);
    if (!parts || parts->length != effects.length)  // decode_test.cpp compares these
        return;
    uint16_t registers = written_registers(*parts);
    bool is_memory_known = registers == 0xffff || may_write_memory(*parts, code);
    if (!(effects.registers & ~registers) && (!effects.memory || is_memory_known))
        return;
    std::string text;
    for (unsigned i = 0; i < effects.length; i++)
        text += fmt::format("{:02x} ", code.data()[i]);
    ADD_FAILURE() << text << "writes registers " << effects.registers << ", not only " << registers
                  << (effects.memory ? ", and memory" : "");
}

// All values of ModRM and some of SIB, after `start`. Returns how many instructions are valid.
size_t compare_writes(const WritesByZydis &zydis, Code code)
{
    size_t modrm = code.size(), known = 0;
    code.resize(modrm + 12);
    for (unsigned value = 0; value < 256; value++) {
        for (uint8_t sib : {0x24, 0x1c}) {  // the stack pointer, without and with an index
            bool has_sib = (value & 7) == 4 && value < 0xc0;
            if (sib != 0x24 && !has_sib)
                break;
            code[modrm] = value;
            code[modrm + 1] = sib;
            Bytes bytes(code.data(), code.size());
            Effects effects = zydis.effects(bytes);
            known += effects.length != 0;
            expect_no_less(bytes, effects);
        }
    }
    return known;
}

TEST(AgainstZydis, LegacyInstructionsWriteNoMore)
{
    WritesByZydis zydis;
    size_t known = 0;
    for (const Code &prefix : {Code{}, Code{0x48}, Code{0x45}, Code{0x66}, Code{0xf3},
                               Code{0xf3, 0x48}, Code{0xf2}, Code{0x64}}) {
        for (const Code &map : {Code{}, Code{0x0f}, Code{0x0f, 0x38}, Code{0x0f, 0x3a}}) {
            for (unsigned opcode = 0; opcode < 256; opcode++) {
                Code code = prefix;
                code.insert(code.end(), map.begin(), map.end());
                code.push_back(opcode);
                known += compare_writes(zydis, code);
            }
        }
    }
    EXPECT_GT(known, 500'000u);
}

TEST(AgainstZydis, VectorInstructionsWriteNoMore)
{
    WritesByZydis zydis;
    size_t known = 0;
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        for (uint8_t map = 1; map <= 6; map++) {
            for (uint8_t last = 0; last < 8; last++) {  // L and the implied prefix
                for (uint8_t wide : {0, 0x80}) {
                    uint8_t flags = 0x78 | last | wide;
                    known +=
                        compare_writes(zydis, {0xc4, uint8_t(0xe0 | map), flags, uint8_t(opcode)});
                    known +=
                        compare_writes(zydis, {0x62, uint8_t(0xf0 | map), uint8_t(flags | 4),
                                               uint8_t(0x08 | (last & 4) << 3), uint8_t(opcode)});
                }
            }
        }
    }
    EXPECT_GT(known, 500'000u);
}

}  // namespace
