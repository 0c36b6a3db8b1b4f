#include "insn/flow.h"

#include <vector>

#include <Zydis/Zydis.h>
#include <gtest/gtest.h>

#include "elf/image.h"

using namespace uscope;
using insn::Flow;
using insn::IndirectKind;

namespace {

using Code = std::vector<uint8_t>;

insn::Step step(const Code &code, uscope::abi::Machine machine = uscope::abi::Machine::X86_64)
{
    auto step = insn::step(machine, Bytes(code.data(), code.size()));
    EXPECT_TRUE(step);
    EXPECT_EQ(step ? step->length : 0, code.size());
    return step.value_or(insn::Step());
}

insn::Step arm(uint32_t word)
{
    return step({uint8_t(word), uint8_t(word >> 8), uint8_t(word >> 16), uint8_t(word >> 24)},
                uscope::abi::Machine::Aarch64);
}

IndirectKind indirect(const Code &code, uint64_t jump)
{
    return insn::indirect_kind(uscope::abi::Machine::X86_64, Bytes(code.data(), code.size()), 0,
                               jump);
}

TEST(Flow, OfX86)
{
    EXPECT_EQ(step({0xc3}).flow, Flow::Return);
    EXPECT_EQ(step({0xf3, 0xc3}).flow, Flow::Return);        // repz ret
    EXPECT_EQ(step({0xc2, 0x08, 0x00}).flow, Flow::Return);  // ret $8
    EXPECT_EQ(step({0x0f, 0x0b}).flow, Flow::Stop);          // ud2
    EXPECT_EQ(step({0xf4}).flow, Flow::Stop);                // hlt
    EXPECT_EQ(step({0x0f, 0x05}).flow, Flow::SystemCall);
    EXPECT_EQ(step({0xe8, 0, 0, 0, 0}).flow, Flow::Call);
    EXPECT_EQ(step({0xff, 0xd0}).flow, Flow::Call);                          // call *%rax
    EXPECT_EQ(step({0xff, 0xe0}).flow, Flow::JumpIndirect);                  // jmp *%rax
    EXPECT_EQ(step({0x3e, 0xff, 0xe0}).flow, Flow::JumpIndirect);            // notrack jmp *%rax
    EXPECT_EQ(step({0xff, 0x30}).flow, Flow::Next);                          // push (%rax)
    EXPECT_EQ(step({0x62, 0xf1, 0x7c, 0x48, 0x10, 0x07}).flow, Flow::Next);  // vmovups
    EXPECT_EQ(step({0xc5, 0xf9, 0x74, 0xc1}).flow, Flow::Next);  // vpcmpeqb; je is also 74
}

TEST(Flow, TargetsOfX86AreRelativeToTheInstruction)
{
    EXPECT_EQ(step({0xeb, 0xfe}).flow, Flow::Jump);
    EXPECT_EQ(step({0xeb, 0xfe}).target, 0);
    EXPECT_EQ(step({0xe9, 0x10, 0, 0, 0}).target, 0x15);
    EXPECT_EQ(step({0x74, 0x05}).flow, Flow::Branch);
    EXPECT_EQ(step({0x74, 0x05}).target, 7);
    EXPECT_EQ(step({0x0f, 0x85, 0xfa, 0xff, 0xff, 0xff}).target, 0);
    EXPECT_EQ(step({0xe3, 0x02}).flow, Flow::Branch);  // jrcxz
    EXPECT_EQ(step({0xe3, 0x02}).target, 4);
    EXPECT_EQ(step({0xc7, 0xf8, 0x10, 0, 0, 0}).flow, Flow::Branch);  // xbegin
    EXPECT_EQ(step({0xc7, 0xf8, 0x10, 0, 0, 0}).target, 0x16);
    // jmp with an operand-size prefix: processors of AMD and Intel decode it differently.
    Code narrow = {0x66, 0xe9, 0x10, 0};
    EXPECT_FALSE(insn::step(uscope::abi::Machine::X86_64, Bytes(narrow.data(), narrow.size())));
}

TEST(Flow, OfArm64)
{
    EXPECT_EQ(arm(0xd65f03c0).flow, Flow::Return);        // ret
    EXPECT_EQ(arm(0xd65f0bff).flow, Flow::Return);        // retaa
    EXPECT_EQ(arm(0xd65f0fff).flow, Flow::Return);        // retab
    EXPECT_EQ(arm(0xd61f0200).flow, Flow::JumpIndirect);  // br x16
    EXPECT_EQ(arm(0xd71f0a11).flow, Flow::JumpIndirect);  // braa x16, x17
    EXPECT_EQ(arm(0xd63f0020).flow, Flow::Call);          // blr x1
    EXPECT_EQ(arm(0x94000010).flow, Flow::Call);          // bl
    EXPECT_EQ(arm(0xd4000001).flow, Flow::SystemCall);    // svc #0
    EXPECT_EQ(arm(0xd4200020).flow, Flow::Stop);          // brk #1
    EXPECT_EQ(arm(0xd503201f).flow, Flow::Next);          // nop
    EXPECT_EQ(arm(0x17ffffff).flow, Flow::Jump);          // b .-4
    EXPECT_EQ(arm(0x17ffffff).target, -4);
    EXPECT_EQ(arm(0x54000041).flow, Flow::Branch);  // b.ne .+8
    EXPECT_EQ(arm(0x54000041).target, 8);
    EXPECT_EQ(arm(0xb4ffffe0).flow, Flow::Branch);  // cbz x0, .-4
    EXPECT_EQ(arm(0xb4ffffe0).target, -4);
    EXPECT_EQ(arm(0x37000060).flow, Flow::Branch);  // tbnz w0, #0, .+12
    EXPECT_EQ(arm(0x37000060).target, 12);
}

TEST(Flow, DistinguishesIndirectJumps)
{
    // movslq (%rdx,%rax,4),%rax; add %rdx,%rax; jmp *%rax
    EXPECT_EQ(indirect({0x48, 0x63, 0x04, 0x82, 0x48, 0x01, 0xd0, 0xff, 0xe0}, 7),
              IndirectKind::Table);
    // notrack jmp *0x1000(,%rdi,8); then without notrack
    EXPECT_EQ(indirect({0x3e, 0xff, 0x24, 0xfd, 0, 0x10, 0, 0}, 0), IndirectKind::Table);
    EXPECT_EQ(indirect({0xff, 0x24, 0xfd, 0, 0x10, 0, 0}, 0), IndirectKind::Unknown);
    // mov (%rdi),%rax; jmp *0x10(%rax)
    EXPECT_EQ(indirect({0x48, 0x8b, 0x07, 0xff, 0x60, 0x10}, 3), IndirectKind::Address);
    // mov 0x10(%rax),%rax; jmp *%rax
    EXPECT_EQ(indirect({0x48, 0x8b, 0x40, 0x10, 0xff, 0xe0}, 4), IndirectKind::Address);
    // mov (%rdx,%rax,8),%rax; jmp *%rax
    EXPECT_EQ(indirect({0x48, 0x8b, 0x04, 0xc2, 0xff, 0xe0}, 4), IndirectKind::Unknown);
    // jmp *%rdi (an argument); jmp *0x2000(%rip)
    EXPECT_EQ(indirect({0xff, 0xe7}, 0), IndirectKind::Address);
    EXPECT_EQ(indirect({0xff, 0x25, 0, 0x20, 0, 0}, 0), IndirectKind::Address);
}

TEST(Flow, FindsAddressesThatMayBeOfTables)
{
    auto named = [](const Code &code) {
        return insn::named_address(uscope::abi::Machine::X86_64, Bytes(code.data(), code.size()));
    };
    auto relative = named({0x48, 0x8d, 0x05, 0x10, 0, 0, 0});  // lea 0x10(%rip),%rax
    ASSERT_TRUE(relative);
    EXPECT_TRUE(relative->is_relative);
    EXPECT_EQ(relative->value, 0x17);
    auto indexed = named({0x3e, 0xff, 0x24, 0xfd, 0, 0x10, 0, 0});  // notrack jmp *0x1000(,%rdi,8)
    ASSERT_TRUE(indexed);
    EXPECT_FALSE(indexed->is_relative);
    EXPECT_EQ(indexed->value, 0x1000);
    EXPECT_EQ(named({0xbb, 0, 0x20, 0x40, 0})->value, 0x402000);  // mov $0x402000,%ebx
    EXPECT_FALSE(named({0x48, 0x8b, 0x05, 0x10, 0, 0, 0}));       // mov 0x10(%rip),%rax
    EXPECT_FALSE(named({0x48, 0x63, 0x04, 0x82}));                // movslq (%rdx,%rax,4),%rax
}

// Compares every instruction of the C library with another decoder.
TEST(Flow, AgreesWithZydisOnTheCLibrary)
{
    auto image = elf::Image::open("/lib/x86_64-linux-gnu/libc.so.6");
    if (!image || image->machine() != EM_X86_64)
        GTEST_SKIP() << "no C library for x86-64 here";
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    auto code = image->contents(*image->section(".text"));
    ASSERT_TRUE(code);
    size_t compared = 0;
    for (uint64_t at = 0; at < code->size();) {
        Bytes here = code->from(at);
        ZydisDecodedInstruction other;
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        if (!ZYAN_SUCCESS(
                ZydisDecoderDecodeFull(&decoder, here.data(), here.size(), &other, operands))) {
            at++;
            continue;
        }
        auto ours = insn::step(uscope::abi::Machine::X86_64, here);
        ASSERT_TRUE(ours) << std::hex << at;
        auto expected = [&] {
            switch (other.meta.category) {
            case ZYDIS_CATEGORY_RET:
                return Flow::Return;
            case ZYDIS_CATEGORY_CALL:
                return Flow::Call;
            case ZYDIS_CATEGORY_COND_BR:
                return Flow::Branch;
            case ZYDIS_CATEGORY_UNCOND_BR:
                return other.raw.imm[0].is_relative ? Flow::Jump : Flow::JumpIndirect;
            default:
                return ours->flow;
            }
        }();
        if (other.mnemonic != ZYDIS_MNEMONIC_XABORT && other.mnemonic != ZYDIS_MNEMONIC_XEND) {
            ASSERT_EQ(ours->flow, expected) << std::hex << at;
        }
        if (ours->flow == Flow::Jump || ours->flow == Flow::Branch) {
            ASSERT_EQ(ours->target, other.length + other.raw.imm[0].value.s) << std::hex << at;
        }
        compared++;
        at += other.length;
    }
    EXPECT_GT(compared, 100000u);
}

}  // namespace
