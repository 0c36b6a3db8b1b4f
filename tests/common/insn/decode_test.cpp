#include "insn/decode.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <vector>

#include <Zydis/Zydis.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "elf/image.h"
#include "support/files.h"

using namespace uscope;
using insn::Kind;
using insn::Refusal;

namespace {

using Code = std::vector<uint8_t>;

Bytes bytes(const Code &code)
{
    return Bytes(code.data(), code.size());
}

// Returns the kind of an instruction; checks that it is exactly as long as `code`.
Kind kind(const Code &code)
{
    auto instruction = insn::decode(bytes(code));
    EXPECT_TRUE(instruction);
    EXPECT_EQ(instruction ? instruction->length : 0, code.size());
    return instruction ? instruction->kind : Kind::Other;
}

TEST(Decode, LengthsByEncoding)
{
    kind({0x66, 0x41, 0x81, 0x7c, 0x24, 0x08, 0x34, 0x12});     // cmpw $0x1234,8(%r12)
    kind({0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8});                 // movabs $…,%rax
    kind({0x48, 0x8d, 0x05, 1, 2, 3, 4});                       // lea 0x4030201(%rip),%rax
    kind({0x8b, 0x04, 0x25, 1, 2, 3, 4});                       // mov 0x4030201,%eax
    kind({0x67, 0xa1, 1, 2, 3, 4});                             // addr32 mov 0x4030201,%eax
    kind({0xa1, 1, 2, 3, 4, 5, 6, 7, 8});                       // movabs …,%eax
    kind({0xc8, 0x10, 0x00, 0x00});                             // enter $16,$0
    kind({0xf6, 0x40, 0x08, 0x01});                             // testb $1,8(%rax)
    kind({0xf7, 0xd8});                                         // neg %eax
    kind({0x66, 0x0f, 0x3a, 0x0f, 0xc1, 0x08});                 // palignr $8,%xmm1,%xmm0
    kind({0xc5, 0xf8, 0x77});                                   // vzeroupper
    kind({0xc4, 0xe3, 0x7d, 0x39, 0xc1, 0x01});                 // vextracti128 $1,%ymm0,%xmm1
    kind({0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x47, 0x01});           // vmovdqu64 64(%rdi),%zmm0
    kind({0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0});  // data16 cs nopw 0(%rax,%rax,1)
}

TEST(Decode, NothingThatRunsPastTheEnd)
{
    for (const Code &code :
         {Code{0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8}, Code{0x8b, 0x04, 0x25, 1, 2, 3, 4},
          Code{0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x47, 0x01}, Code{0x66, 0x0f, 0x38, 0x00, 0xc0},
          Code{0xc5, 0xf8, 0x77}, Code{0xc4, 0xe3, 0x7d, 0x39, 0xc1, 0x01}}) {
        ASSERT_TRUE(insn::decode(bytes(code)));
        for (size_t length = 0; length < code.size(); ++length)
            EXPECT_FALSE(insn::decode(Bytes(code.data(), length))) << length;
    }
}

TEST(Decode, NothingLongerThanFifteenBytes)
{
    Code code(14, 0x2e);
    code.push_back(0x90);
    EXPECT_TRUE(insn::decode(bytes(code)));
    code.insert(code.begin(), 0x2e);
    EXPECT_FALSE(insn::decode(bytes(code)));
    EXPECT_FALSE(insn::decode(bytes(Code(64, 0x66))));
    Code immediate(16, 0x64);  // prefixes, then mov $0x4030201,%eax
    for (uint8_t byte : {0xb8, 1, 2, 3, 4})
        immediate.push_back(byte);
    EXPECT_TRUE(insn::decode(bytes(immediate).from(6)));
    EXPECT_FALSE(insn::decode(bytes(immediate).from(5)));
}

TEST(Decode, WhatIsNoInstruction)
{
    for (const Code &code :
         {Code{0x06}, Code{0x60}, Code{0xd4, 0x0a}, Code{0xea, 1, 2, 3, 4, 5, 6}, Code{0x0f, 0x0a},
          Code{0x48, 0xc5, 0xf8, 0x77}, Code{0x66, 0xc5, 0xf8, 0x77},
          Code{0xc4, 0xe0, 0x7d, 0x39, 0xc1}, Code{0x62, 0xf0, 0xfe, 0x48, 0x6f, 0xc0}})
        EXPECT_FALSE(insn::decode(bytes(code))) << std::hex << +code[0];
}

TEST(Decode, WhatTheKernelEmulates)
{
    EXPECT_EQ(kind({0x90}), Kind::Nop);
    EXPECT_EQ(kind({0x66, 0x90}), Kind::Nop);
    EXPECT_EQ(kind({0x0f, 0x1f, 0x44, 0, 0}), Kind::Nop);
    EXPECT_EQ(kind({0x66, 0x0f, 0x1f, 0x44, 0, 0}), Kind::Nop);
    EXPECT_EQ(kind({0x55}), Kind::Push);
    EXPECT_EQ(kind({0x41, 0x57}), Kind::Push);
    EXPECT_EQ(kind({0xe8, 1, 2, 3, 4}), Kind::CallRelative);
    EXPECT_EQ(kind({0xe9, 1, 2, 3, 4}), Kind::JumpRelative);
    EXPECT_EQ(kind({0xeb, 1}), Kind::JumpRelative);
    EXPECT_EQ(kind({0x74, 1}), Kind::JumpRelative);
    EXPECT_EQ(kind({0x0f, 0x85, 1, 2, 3, 4}), Kind::JumpRelative);
    EXPECT_EQ(kind({0xf2, 0xe9, 1, 2, 3, 4}), Kind::JumpRelative);  // bnd
}

TEST(Decode, WhatLooksEmulatedAndIsNot)
{
    EXPECT_EQ(kind({0xf3, 0x90}), Kind::Other);        // pause
    EXPECT_EQ(kind({0x48, 0x55}), Kind::Other);        // push with a superfluous REX
    EXPECT_EQ(kind({0x66, 0x55}), Kind::Other);        // push of 16 bits
    EXPECT_EQ(kind({0xff, 0x75, 0x08}), Kind::Other);  // push 8(%rbp)
    EXPECT_EQ(kind({0x6a, 0x01}), Kind::Other);        // push $1
    EXPECT_EQ(kind({0xff, 0xd0}), Kind::Other);        // call *%rax
    EXPECT_EQ(kind({0xe3, 0x01}), Kind::Other);        // jrcxz
    EXPECT_EQ(kind({0x0f, 0x1f, 0xc8}), Kind::Other);  // 0f 1f /1 is reserved
    EXPECT_EQ(kind({0x0f, 0x94, 0xc0}), Kind::Other);  // sete %al
}

TEST(Decode, ControlFlow)
{
    EXPECT_EQ(kind({0xf3, 0x0f, 0x1e, 0xfa}), Kind::EndBranch);
    EXPECT_EQ(kind({0xf3, 0x0f, 0x1e, 0xfb}), Kind::Other);  // endbr32
    EXPECT_EQ(kind({0xc3}), Kind::Return);
    EXPECT_EQ(kind({0xf3, 0xc3}), Kind::Return);
    EXPECT_EQ(kind({0xf2, 0xc3}), Kind::Return);
    EXPECT_EQ(kind({0xc2, 0x10, 0x00}), Kind::Return);
    EXPECT_EQ(kind({0xff, 0xe0}), Kind::JumpIndirect);
    EXPECT_EQ(kind({0xff, 0x25, 1, 2, 3, 4}), Kind::JumpIndirect);
    EXPECT_EQ(kind({0x0f, 0x0b}), Kind::Trap);        // ud2
    EXPECT_EQ(kind({0x0f, 0xb9, 0xc0}), Kind::Trap);  // ud1
}

TEST(Decode, WhatTheKernelRefuses)
{
    EXPECT_EQ(kind({0xf0, 0x0f, 0xc1, 0x07}), Kind::Refused);        // lock xadd %eax,(%rdi)
    EXPECT_EQ(kind({0x3e, 0xff, 0xe0}), Kind::Refused);              // notrack jmp *%rax
    EXPECT_EQ(kind({0x2e, 0x0f, 0x1f, 0x40, 0x00}), Kind::Refused);  // cs nopl 0(%rax)
    EXPECT_EQ(kind({0x66, 0xe8, 1, 2, 3, 4}), Kind::Refused);        // data16 call
    EXPECT_EQ(kind({0x66, 0x0f, 0x84, 1, 2, 3, 4}), Kind::Refused);  // data16 je
    EXPECT_EQ(kind({0x66, 0x74, 1}), Kind::Refused);
    EXPECT_EQ(kind({0x8e, 0xd0}), Kind::Refused);  // mov %eax,%ss
    EXPECT_EQ(kind({0xc4, 0xe2, 0x71, 0x8e, 0x10}),
              Kind::Refused);  // vpmaskmovd %xmm2,%xmm1,(%rax)
    EXPECT_EQ(kind({0xcc}), Kind::Refused);
    EXPECT_EQ(kind({0xf4}), Kind::Refused);                    // hlt
    EXPECT_EQ(kind({0xcd, 0x80}), Kind::Refused);              // int $0x80
    EXPECT_EQ(kind({0xc5, 0xfe, 0x6f, 0x06}), Kind::Refused);  // vmovdqu (%rsi),%ymm0
    EXPECT_EQ(kind({0xc5, 0xf9, 0xef, 0xc0}), Kind::Refused);  // vpxor %xmm0,%xmm0,%xmm0
    EXPECT_EQ(kind({0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x06}), Kind::Refused);  // vmovdqu64 (%rsi),%zmm0
}

TEST(Decode, WhatTheKernelWouldGetWrong)
{
    EXPECT_EQ(kind({0x49, 0x90}), Kind::Refused);  // xchg %r8,%rax
    EXPECT_EQ(kind({0x41, 0x90}), Kind::Refused);
    EXPECT_EQ(kind({0x48, 0x90}), Kind::Nop);
    EXPECT_EQ(kind({0x8f, 0xe9, 0x78, 0x80, 0xc0}), Kind::Refused);  // vfrczps (XOP)
    EXPECT_EQ(kind({0x8f, 0xc0}), Kind::Other);                      // pop %rax
}

Refusal refusal(const Code &code)
{
    kind(code);
    auto instruction = insn::decode(bytes(code));
    return instruction ? insn::refusal(*instruction, false) : Refusal::None;
}

// The opcodes of these vector instructions are those of jumps, calls, returns, nops or popf among
// the instructions without a prefix.
TEST(Decode, VectorInstructionsThatTheKernelTakesForOthers)
{
    for (const Code &code : {Code{0xc5, 0xf9, 0x74, 0xc1},        // vpcmpeqb %xmm1,%xmm0,%xmm0
                             Code{0xc5, 0xf9, 0x70, 0xc0, 0x1b},  // vpshufd $0x1b,%xmm0,%xmm0
                             Code{0xc5, 0xf9, 0x7e, 0xc0},        // vmovd %xmm0,%eax
                             Code{0xc4, 0xe1, 0xf9, 0x7e, 0xc0},  // vmovq %xmm0,%rax
                             Code{0xc5, 0xf8, 0x77},              // vzeroupper
                             Code{0xc5, 0xf9, 0xeb, 0xc1},        // vpor
                             Code{0xc5, 0xf9, 0xe8, 0xc1},        // vpsubsb
                             Code{0xc5, 0xf9, 0xe9, 0xc1},        // vpsubsw
                             Code{0xc5, 0xf8, 0xc2, 0xc1, 0x00},  // vcmpeqps
                             Code{0xc4, 0xe2, 0xf1, 0x9d, 0xc2},  // vfnmadd132sd
                             Code{0xc5, 0xf8, 0x90, 0xc1},        // kmovw %k1,%k0
                             Code{0x62, 0xe2, 0x7d, 0x28, 0x7a, 0xce},   // vpbroadcastb %esi,%ymm17
                             Code{0x62, 0xe2, 0x7d, 0x28, 0x7c, 0xce},   // vpbroadcastd %esi,%ymm17
                             Code{0x62, 0xf1, 0x75, 0x48, 0x74, 0xc2}})  // vpcmpeqb %zmm2,%zmm1,%k0
        EXPECT_EQ(refusal(code), Refusal::Corrupts) << std::hex << +code[code.size() - 2];
}

TEST(Decode, WhatAStepChanges)
{
    EXPECT_EQ(refusal({0x9c}), Refusal::Corrupts);  // pushf
    EXPECT_EQ(refusal({0x66, 0x9c}), Refusal::Corrupts);
    EXPECT_EQ(refusal({0x9d}), Refusal::None);                        // popf
    EXPECT_EQ(refusal({0x0f, 0x05}), Refusal::Corrupts);              // syscall
    EXPECT_EQ(refusal({0x0f, 0xa2}), Refusal::Corrupts);              // cpuid
    EXPECT_EQ(refusal({0x0f, 0x31}), Refusal::Corrupts);              // rdtsc
    EXPECT_EQ(refusal({0x0f, 0x01, 0xf9}), Refusal::Corrupts);        // rdtscp
    EXPECT_EQ(refusal({0x0f, 0x01, 0xd0}), Refusal::None);            // xgetbv
    EXPECT_EQ(refusal({0xf3, 0xaa}), Refusal::Corrupts);              // rep stosb
    EXPECT_EQ(refusal({0xaa}), Refusal::None);                        // stosb
    EXPECT_EQ(refusal({0xc7, 0xf8, 1, 2, 3, 4}), Refusal::Corrupts);  // xbegin
    EXPECT_EQ(refusal({0x66, 0xe2, 0x10}), Refusal::Corrupts);        // loop with 16 bits
    EXPECT_EQ(refusal({0xe2, 0x10}), Refusal::None);                  // loop
    EXPECT_EQ(refusal({0xff, 0x18}), Refusal::Corrupts);              // far call
    EXPECT_EQ(refusal({0xcb}), Refusal::Corrupts);                    // far ret
    EXPECT_EQ(refusal({0x0f, 0x00, 0xc0}), Refusal::Corrupts);        // sldt
    EXPECT_EQ(refusal({0x0f, 0x01, 0xe0}), Refusal::Corrupts);        // smsw
    EXPECT_EQ(refusal({0x48, 0x41, 0x32, 0x35, 0, 0, 0, 0}), Refusal::Corrupts);
    EXPECT_EQ(refusal({0xff, 0x10}), Refusal::None);  // call *(%rax)
}

// Most of these instructions are AMD's, or newer than the oldest kernel that uscope supports.
TEST(Decode, WhatTheKernelDoesNotKnow)
{
    EXPECT_EQ(refusal({0xc4, 0xe3, 0xf9, 0x6b, 0xc2, 0x10}), Refusal::Unknown);  // vfmaddsd (FMA4)
    EXPECT_EQ(refusal({0x8f, 0xe9, 0x78, 0x80, 0xc0}), Refusal::Unknown);        // vfrczps (XOP)
    EXPECT_EQ(refusal({0x8f, 0x24, 0x7a}), Refusal::ByKernel);                   // only /0 is pop
    EXPECT_EQ(refusal({0x8f, 0x04, 0x24}), Refusal::None);                       // pop (%rsp)
    EXPECT_EQ(refusal({0xc4, 0xe2, 0x79, 0x50, 0xc0}), Refusal::Unknown);        // vpdpbusd (VEX)
    EXPECT_EQ(refusal({0x62, 0xf2, 0x7d, 0x48, 0x50, 0xc0}), Refusal::None);     // the same (EVEX)
    EXPECT_EQ(refusal({0x62, 0xf5, 0x7c, 0x48, 0x58, 0xc0}), Refusal::Unknown);  // vaddph (FP16)
    EXPECT_EQ(refusal({0xf3, 0x0f, 0x38, 0xdc, 0xc1}), Refusal::Unknown);        // loadiwkey
    // Members of opcode groups that have no VEX form, although others have: vldmxcsr, vstmxcsr,
    // blsmsk.
    EXPECT_EQ(refusal({0xc5, 0xf4, 0xae, 0xf1}), Refusal::Unknown);
    EXPECT_EQ(refusal({0xc4, 0xe2, 0x74, 0xf3, 0xf1}), Refusal::Unknown);
    EXPECT_EQ(refusal({0xc4, 0x02, 0x00, 0xf3, 0xa7, 0x01, 0x00, 0xd3, 0xc7}), Refusal::Unknown);
    EXPECT_EQ(refusal({0xc5, 0xf8, 0xae, 0x14, 0x24}), Refusal::None);
    EXPECT_EQ(refusal({0xc5, 0xf8, 0xae, 0x1c, 0x24}), Refusal::None);
    EXPECT_EQ(refusal({0xc4, 0xe2, 0xa0, 0xf3, 0xd2}), Refusal::None);
    EXPECT_EQ(refusal({0x66, 0x0f, 0x38, 0xdc, 0xc1}), Refusal::None);  // aesenc
    EXPECT_EQ(refusal({0xc4, 0xe2, 0xf1, 0xb9, 0xc2}), Refusal::None);  // vfmadd231sd
}

// Linux 6.18 replaces this nop by a call, which writes below the stack pointer. Only at a
// function's start is nothing in use there.
TEST(Decode, TheNopOfFiveBytesOnlyAtAFunctionsStart)
{
    const Code nop = {0x0f, 0x1f, 0x44, 0, 0};
    EXPECT_EQ(refusal(nop), Refusal::Nop5);
    EXPECT_EQ(insn::refusal(*insn::decode(bytes(nop)), true), Refusal::None);
    EXPECT_EQ(refusal({0x66, 0x66, 0x66, 0x66, 0x90}), Refusal::Nop5);
    EXPECT_EQ(refusal({0x66, 0x0f, 0x1f, 0x44, 0, 0}), Refusal::None);
    EXPECT_EQ(refusal({0x90}), Refusal::None);
}

TEST(Decode, WhatTheKernelAccepts)
{
    EXPECT_EQ(kind({0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}),
              Kind::Other);                                  // mov %fs:0x28,%rax
    EXPECT_EQ(kind({0x0f, 0x6f, 0xc0}), Kind::Other);        // movq %mm0,%mm0
    EXPECT_EQ(kind({0xc5, 0xfc, 0x10, 0x06}), Kind::Other);  // vmovups
    EXPECT_EQ(kind({0x8e, 0xd8}), Kind::Other);              // mov %eax,%ds
}

const Code function = {0xf3, 0x0f, 0x1e, 0xfa,     // endbr64
                       0x55,                       // push %rbp
                       0x48, 0x89, 0xe5,           // mov %rsp,%rbp
                       0xb8, 0x90, 0x90, 0,    0,  // mov $0x9090,%eax
                       0x06,                       // not an instruction
                       0xc3};

TEST(IsBoundary, StartsOfInstructionsOnly)
{
    for (uint64_t offset : {0, 4, 5, 8, 13})
        EXPECT_EQ(insn::is_boundary(bytes(function), offset), true) << offset;
    for (uint64_t offset : {1, 3, 6, 9, 10, 12})
        EXPECT_EQ(insn::is_boundary(bytes(function), offset), false) << offset;
}

TEST(IsBoundary, NothingBehindWhatCannotBeDecoded)
{
    EXPECT_EQ(insn::is_boundary(bytes(function), 14), std::nullopt);
    EXPECT_EQ(insn::is_boundary(bytes(function), 100), std::nullopt);
    EXPECT_EQ(insn::is_boundary(Bytes(), 1), std::nullopt);
}

TEST(EntryOffset, BehindEndbrWhenThatIsEmulated)
{
    EXPECT_EQ(insn::entry_offset(bytes(function)), 4u);
    EXPECT_EQ(insn::entry_offset(bytes({0xf3, 0x0f, 0x1e, 0xfa, 0xeb, 0x00})), 4u);
    EXPECT_EQ(insn::entry_offset(bytes({0xf3, 0x0f, 0x1e, 0xfa, 0xe8, 1, 2, 3, 4})), 4u);
    EXPECT_EQ(insn::entry_offset(bytes({0xf3, 0x0f, 0x1e, 0xfa, 0x66, 0x90})), 4u);
}

TEST(EntryOffset, ElseTheFunctionsStart)
{
    EXPECT_EQ(insn::entry_offset(bytes({0x55, 0xc3})), 0u);
    EXPECT_EQ(insn::entry_offset(bytes({0xf3, 0x0f, 0x1e, 0xfa, 0x89, 0xf8})), 0u);
    EXPECT_EQ(insn::entry_offset(bytes({0xf3, 0x0f, 0x1e, 0xfa, 0x0f, 0x1f, 0x44, 0, 0})), 0u);
    EXPECT_EQ(insn::entry_offset(bytes({0xf3, 0x0f, 0x1e, 0xfa, 0xcc})), 0u);
    EXPECT_EQ(insn::entry_offset(bytes({0xf3, 0x0f, 0x1e, 0xfa})), 0u);
    EXPECT_EQ(insn::entry_offset(Bytes()), 0u);
}

// --- against Zydis -------------------------------------------------------------------------------

class Zydis {
  public:
    Zydis()
    {
        ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
        ZydisDecoderEnableMode(&decoder_, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
    }

    // Returns the instruction's length in bytes; 0 if there is no valid one.
    unsigned length(Bytes code) const
    {
        ZydisDecodedInstruction instruction;
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder_, nullptr, code.data(),
                                                        code.size(), &instruction)))
            return 0;
        // Jumps of the first Xeon Phi, which no other x86-64 processor has.
        bool is_phi = instruction.mnemonic == ZYDIS_MNEMONIC_JKZD ||
                      instruction.mnemonic == ZYDIS_MNEMONIC_JKNZD;
        return is_phi ? 0 : instruction.length;
    }

  private:
    ZydisDecoder decoder_;
};

std::string hex(Bytes code)
{
    std::string text;
    for (size_t i = 0; i < code.size() && i < 15; ++i)
        text += fmt::format("{:02x} ", code.data()[i]);
    return text;
}

// Compares all instructions that Zydis knows and that begin with `prefix` and `opcode`, with all
// values of ModRM and SIB that can matter. Returns how many it compared.
size_t compare_all(const Zydis &zydis, const Code &prefix, std::initializer_list<unsigned> opcode)
{
    std::array<uint8_t, 24> code = {};
    auto modrm = std::copy(opcode.begin(), opcode.end(),
                           std::copy(prefix.begin(), prefix.end(), code.begin()));
    Bytes view(code.data(), code.size());
    size_t known = 0;
    for (unsigned mod_and_reg = 0; mod_and_reg < 256; mod_and_reg += 8) {
        for (unsigned rm : {0, 4, 5}) {         // a register; SIB; ip-relative with mod 0
            for (uint8_t sib : {0x24, 0x25}) {  // with a base and without
                modrm[0] = mod_and_reg | rm;
                modrm[1] = sib;
                unsigned expected = zydis.length(view);
                if (!expected)
                    continue;
                ++known;
                auto ours = insn::decode(view);
                if (!ours || ours->length != expected)
                    ADD_FAILURE() << hex(view) << "has " << expected << " bytes";
            }
        }
    }
    return known;
}

TEST(AgainstZydis, EveryOpcodeOfTheLegacyMaps)
{
    Zydis zydis;
    size_t known = 0;
    for (const Code &prefix : {Code{}, Code{0x66}, Code{0x67}, Code{0xf2}, Code{0xf3}, Code{0xf0},
                               Code{0x2e}, Code{0x41}, Code{0x48}, Code{0x66, 0x48},
                               Code{0x48, 0x66}, Code{0xf3, 0x48}, Code{0x66, 0xf2}}) {
        for (unsigned opcode = 0; opcode < 256; ++opcode) {
            known += compare_all(zydis, prefix, {opcode});
            known += compare_all(zydis, prefix, {0x0f, opcode});
            known += compare_all(zydis, prefix, {0x0f, 0x38, opcode});
            known += compare_all(zydis, prefix, {0x0f, 0x3a, opcode});
        }
    }
    EXPECT_GT(known, 200'000u);
}

TEST(AgainstZydis, EveryOpcodeOfVexAndXop)
{
    Zydis zydis;
    size_t known = 0;
    for (unsigned opcode = 0; opcode < 256; ++opcode) {
        // The last byte of the VEX prefix: W, the inverted vvvv, L and pp.
        for (unsigned last : {0x78, 0x79, 0x7a, 0x7b, 0x7c, 0x7d, 0x7f, 0xf8, 0xf9, 0xfd, 0x01}) {
            known += compare_all(zydis, {}, {0xc5, last, opcode});
            for (unsigned map = 0xe0; map < 0x100; ++map)
                known += compare_all(zydis, {}, {0xc4, map, last, opcode});
            for (unsigned map : {0xe8, 0xe9, 0xea})
                known += compare_all(zydis, {}, {0x8f, map, last, opcode});
        }
    }
    EXPECT_GT(known, 200'000u);
}

TEST(AgainstZydis, EveryOpcodeOfEvex)
{
    Zydis zydis;
    size_t known = 0;
    for (unsigned opcode = 0; opcode < 256; ++opcode)
        for (unsigned map = 0xf0; map < 0x100; ++map)
            for (unsigned second : {0x7c, 0x7d, 0x7e, 0x7f, 0xfc, 0xfd, 0xfe, 0xff, 0x05, 0x85})
                for (unsigned third : {0x08, 0x18, 0x28, 0x48, 0x49, 0xc9})
                    known += compare_all(zydis, {}, {0x62, map, second, third, opcode});
    EXPECT_GT(known, 200'000u);
}

class AgainstZydisIn : public testing::TestWithParam<const char *> {};

TEST_P(AgainstZydisIn, EveryInstructionOfTheText)
{
    std::string path = tests::installed(GetParam());
    if (path.empty())
        GTEST_SKIP() << GetParam() << " is not installed";
    auto image = elf::Image::open(path);
    ASSERT_TRUE(image) << image.error().text;
    const elf::Section *section = image->section(".text");
    ASSERT_TRUE(section);
    auto text = image->contents(*section);
    ASSERT_TRUE(text);

    Zydis zydis;
    size_t instructions = 0, different = 0;
    for (size_t at = 0; at < text->size() && different < 10;) {
        unsigned expected = zydis.length(text->from(at));
        if (!expected) {  // data between functions
            ++at;
            continue;
        }
        auto ours = insn::decode(text->from(at));
        if (!ours || ours->length != expected) {
            ADD_FAILURE() << hex(text->from(at)) << "has " << expected << " bytes";
            ++different;
        }
        ++instructions;
        at += expected;
    }
    EXPECT_GT(instructions, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Debian, AgainstZydisIn,
                         testing::Values("/usr/lib/jvm/java-*-openjdk-amd64/lib/server/libjvm.so",
                                         "/usr/sbin/mariadbd",
                                         "/usr/lib/x86_64-linux-gnu/libLLVM*.so.*",
                                         "/usr/lib/go-*/bin/go", "/lib/x86_64-linux-gnu/libc.so.6",
                                         "/lib/x86_64-linux-gnu/libm.so.6",
                                         "/usr/lib/x86_64-linux-gnu/libcrypto.so.3"));

}  // namespace
