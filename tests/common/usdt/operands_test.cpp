#include "usdt/operands.h"

#include <gtest/gtest.h>

#include "support/files.h"
#include "usdt/notes.h"

using namespace uscope::usdt;
using uscope::abi::find_register;
using uscope::abi::Machine;
using uscope::abi::Operand;
using Kind = Operand::Kind;

namespace {

// Returns the context of a probe at 0x1000 in a file that can be loaded at any address, and has one
// symbol, at 0x5000.
OperandContext x86()
{
    OperandContext context;
    context.machine = Machine::X86_64;
    context.vaddr = 0x1000;
    context.find_object = [](std::string_view name) -> std::optional<uint64_t> {
        if (name == "NBuffers")
            return 0x5000;
        return std::nullopt;
    };
    return context;
}

OperandContext x86_fixed()
{
    OperandContext context = x86();
    context.fixed_addresses = true;
    return context;
}

OperandContext arm()
{
    OperandContext context = x86();
    context.machine = Machine::Aarch64;
    return context;
}

Operand one(const char *text, const OperandContext &context = x86())
{
    auto operands = parse_operands(text, context);
    EXPECT_EQ(operands.size(), 1u) << text;
    return operands.empty() ? Operand{} : operands[0].operand;
}

std::string unsupported(const char *text, const OperandContext &context = x86())
{
    Operand operand = one(text, context);
    EXPECT_EQ(operand.kind, Kind::Unsupported) << text;
    return operand.why;
}

Operand in_register(uint8_t size, const char *name, Machine machine = Machine::X86_64)
{
    return {.kind = Kind::Register, .size = size, .base = *find_register(machine, name)};
}

Operand in_memory(uint8_t size, const char *base, int64_t displacement,
                  Machine machine = Machine::X86_64)
{
    return {.kind = Kind::Memory,
            .size = size,
            .value = displacement,
            .base = *find_register(machine, base)};
}

Operand without_base(uint8_t size, int64_t displacement)
{
    return {.kind = Kind::Memory, .size = size, .value = displacement, .has_base = false};
}

Operand indexed(Operand memory, const char *index, uint8_t scale, Machine machine = Machine::X86_64)
{
    memory.has_index = true;
    memory.index = *find_register(machine, index);
    memory.scale = scale;
    return memory;
}

Operand constant(uint8_t size, int64_t value)
{
    return {.kind = Kind::Constant, .size = size, .value = value};
}

Operand as_signed(Operand operand)
{
    operand.is_signed = true;
    return operand;
}

TEST(Operands, SizesAndSigns)
{
    EXPECT_EQ(one("8@%rdi"), in_register(8, "rdi"));
    EXPECT_EQ(one("-8@%rdi"), as_signed(in_register(8, "rdi")));
    EXPECT_EQ(one("4@%edi"), in_register(4, "rdi"));
    EXPECT_EQ(one("-4@%edi"), as_signed(in_register(4, "rdi")));
    EXPECT_EQ(one("2@%ax"), in_register(2, "rax"));
    EXPECT_EQ(one("-1@%al"), as_signed(in_register(1, "rax")));
}

TEST(Operands, PartsOfRegisters)
{
    EXPECT_EQ(one("1@%dil"), in_register(1, "rdi"));
    EXPECT_EQ(one("1@%ah").base.shift, 8);
    EXPECT_EQ(one("4@%r8d"), in_register(4, "r8"));
    EXPECT_EQ(one("2@%r10w"), in_register(2, "r10"));
}

TEST(Operands, TheSizeGovernsNotTheRegistersName)
{
    EXPECT_EQ(one("1@%edi"), in_register(1, "rdi"));
    EXPECT_EQ(one("1@%edi").base.size, 1);
    EXPECT_EQ(one("8@%eax"), in_register(8, "rax"));
    EXPECT_EQ(unsupported("4@%ah"), "it is wider than its register");
}

TEST(Operands, WithoutASize)
{
    EXPECT_EQ(one("%rdi"), in_register(8, "rdi"));
    EXPECT_EQ(one("%eax"), in_register(4, "rax"));
    EXPECT_EQ(one("4(%rsi)"), in_memory(8, "rsi", 4));
    EXPECT_EQ(one("$5"), constant(8, 5));
    EXPECT_EQ(parse_operands("%eax 4(%rsi)", x86()).size(), 2u);  // sys/sdt.h's own example
}

TEST(Operands, Constants)
{
    EXPECT_EQ(one("4@$5"), constant(4, 5));
    EXPECT_EQ(one("-4@$-5"), as_signed(constant(4, -5)));
    EXPECT_EQ(one("8@$0x7f"), constant(8, 127));
    EXPECT_EQ(one("8@$9223372036854775806"), constant(8, 9223372036854775806));
    EXPECT_EQ(one("8@$18446744073709551615"), constant(8, -1));
    EXPECT_EQ(one("-8@$-9223372036854775808"), as_signed(constant(8, INT64_MIN)));
    EXPECT_EQ(one("4@$4+3"), constant(4, 7));
}

TEST(Operands, AConstantIsExtendedFromItsSize)
{
    EXPECT_EQ(one("4@$-1").value, 0xffffffff);
    EXPECT_EQ(one("-4@$0xffffffff").value, -1);
    EXPECT_EQ(one("1@$-1").value, 255);
    EXPECT_EQ(one("-1@$200").value, -56);
}

TEST(Operands, Memory)
{
    EXPECT_EQ(one("8@(%rax)"), in_memory(8, "rax", 0));
    EXPECT_EQ(one("-4@-144(%rbp)"), as_signed(in_memory(4, "rbp", -144)));
    EXPECT_EQ(one("8@0x98(%rdi)"), in_memory(8, "rdi", 0x98));
    EXPECT_EQ(one("8@16+8(%rdi)"), in_memory(8, "rdi", 24));
}

TEST(Operands, IndexedMemory)
{
    EXPECT_EQ(one("8@(%rax,%rdx,8)"), indexed(in_memory(8, "rax", 0), "rdx", 8));
    EXPECT_EQ(one("8@-88(%rsp,%rax,4)"), indexed(in_memory(8, "rsp", -88), "rax", 4));
    EXPECT_EQ(one("8@(%rax,%rdx)"), indexed(in_memory(8, "rax", 0), "rdx", 1));
    EXPECT_NE(unsupported("8@(%rax,%rdx,3)"), "");
    EXPECT_NE(unsupported("8@(%rax,%rdx,8"), "");
}

TEST(Operands, AnIndexNeedsNoBase)
{
    EXPECT_EQ(one("8@8(,%rax,8)"), indexed(without_base(8, 8), "rax", 8));
    EXPECT_EQ(one("-4@-16(,%rdx)"), as_signed(indexed(without_base(4, -16), "rdx", 1)));
    EXPECT_EQ(one("8@(,%rax,8)", x86_fixed()), indexed(without_base(8, 0), "rax", 8));
}

TEST(Operands, SymbolsRelativeToTheInstructionPointer)
{
    EXPECT_EQ(one("4@NBuffers(%rip)"), in_memory(4, "rip", 0x4000));
    EXPECT_EQ(one("4@40+NBuffers(%rip)"), in_memory(4, "rip", 0x4028));
    EXPECT_EQ(one("4@NBuffers+40(%rip)"), in_memory(4, "rip", 0x4028));
    EXPECT_EQ(one("4@NBuffers-8(%rip)"), in_memory(4, "rip", 0x3ff8));
    EXPECT_EQ(one("4@-8+NBuffers(%rip)"), in_memory(4, "rip", 0x3ff8));
    EXPECT_EQ(one("4@NBuffers"), in_memory(4, "rip", 0x4000));
    EXPECT_EQ(parse_operands("4@40+NBuffers(%rip)", x86())[0].symbol, "NBuffers");
}

TEST(Operands, SymbolsThatAreNotPlainAddresses)
{
    EXPECT_EQ(unsupported("8@mp_(%rip)"), "the file has no symbol \"mp_\"");
    EXPECT_EQ(unsupported("8@stdout@GOTPCREL(%rip)"), "the file has no symbol \"stdout@GOTPCREL\"");
    EXPECT_NE(unsupported("8@-NBuffers(%rip)"), "");
    EXPECT_NE(unsupported("8@NBuffers-NBuffers(%rip)"), "");
    EXPECT_NE(unsupported("8@16(%rip)"), "");
    OperandContext no_symbols;
    no_symbols.machine = Machine::X86_64;
    EXPECT_NE(unsupported("8@NBuffers(%rip)", no_symbols), "");
}

TEST(Operands, AddressesWhereTheFileIsNotMoved)
{
    EXPECT_EQ(one("8@$NBuffers", x86_fixed()), constant(8, 0x5000));
    EXPECT_EQ(one("8@$NBuffers+4", x86_fixed()), constant(8, 0x5004));
    EXPECT_EQ(one("4@0x3000", x86_fixed()), without_base(4, 0x3000));
    EXPECT_EQ(one("8@NBuffers(,%rax,8)", x86_fixed()),
              indexed(in_memory(8, "rip", 0x4000), "rax", 8));
    EXPECT_EQ(one("8@NBuffers(%rax)", x86_fixed()), in_memory(8, "rax", 0x5000));
}

TEST(Operands, AddressesWhereTheFileIsMoved)
{
    for (const char *text : {"8@$NBuffers", "4@0x3000", "8@0x3000()", "8@NBuffers(%rax)"})
        EXPECT_EQ(unsupported(text), "it holds an address that differs from process to process");
    EXPECT_EQ(one("8@NBuffers(,%rax,8)"), indexed(in_memory(8, "rip", 0x4000), "rax", 8));
}

TEST(Operands, FloatingPoint)
{
    Operand memory = one("8f@-16(%rbp)");
    EXPECT_EQ(memory.kind, Kind::Memory);
    EXPECT_TRUE(memory.is_float);
    EXPECT_EQ(memory.size, 8);
    EXPECT_EQ(one("-4f@4(%rsp)").size, 4);
    EXPECT_EQ(unsupported("-8f@%xmm0"), "the register %xmm0 cannot be read by a probe");
    EXPECT_NE(unsupported("16f@32(%rsp)"), "");
    EXPECT_NE(unsupported("2f@(%rsp)"), "");
}

TEST(Operands, OneOddOperandDoesNotLoseTheOthers)
{
    auto operands = parse_operands("16@%rax 24@8(%rsp) 8@%xmm1 8@%fs:16 8@%st(0) -4@%edi", x86());
    ASSERT_EQ(operands.size(), 6u);
    EXPECT_EQ(operands[0].operand, in_register(8, "rax"));
    EXPECT_EQ(operands[1].operand, in_memory(8, "rsp", 8));
    EXPECT_EQ(operands[1].size, 24u);
    EXPECT_EQ(operands[2].operand.kind, Kind::Unsupported);
    EXPECT_EQ(operands[3].operand.why, "thread-local storage (%fs:) cannot be read");
    EXPECT_EQ(operands[4].operand.kind, Kind::Unsupported);
    EXPECT_EQ(operands[5].operand, as_signed(in_register(4, "rdi")));
}

TEST(Operands, PiecesOfTheNote)
{
    auto operands = parse_operands(" 8@%rdi  -4@16(%rsp, %rax, 8)\t4@$1 ", x86());
    ASSERT_EQ(operands.size(), 3u);
    EXPECT_EQ(operands[0].text, "8@%rdi");
    EXPECT_EQ(operands[1].text, "-4@16(%rsp, %rax, 8)");
    EXPECT_EQ(operands[1].operand, as_signed(indexed(in_memory(4, "rsp", 16), "rax", 8)));
    EXPECT_EQ(operands[2].text, "4@$1");
}

TEST(Operands, NoArguments)
{
    EXPECT_TRUE(parse_operands("", x86()).empty());
    EXPECT_TRUE(parse_operands("  ", x86()).empty());
}

TEST(Operands, AnUnbalancedBracketSpoilsOnlyItsOwn)
{
    auto operands = parse_operands("8@(%rax 4@%edi 8@%rsi) 4@%ecx", x86());
    ASSERT_EQ(operands.size(), 4u);
    EXPECT_EQ(operands[0].operand.kind, Kind::Unsupported);
    EXPECT_EQ(operands[1].operand, in_register(4, "rdi"));
    EXPECT_EQ(operands[2].operand.kind, Kind::Unsupported);
    EXPECT_EQ(operands[3].operand, in_register(4, "rcx"));
}

TEST(Operands, NonsenseIsUnsupportedWithAReason)
{
    for (const char *text : {"8@", "@", "8@$", "8@%", "8@()", "8@(%eax)", "8@)", "-@%rax", "0@%rax",
                             "3@%rax", "99999999999999999999@%rax", "8@%rax,", "8@$1x",
                             "8@4*2(%rax)", "8@$99999999999999999999", "8@(%rax,%rsp,)", "8@[x0]"})
        EXPECT_NE(unsupported(text), "") << text;
}

TEST(Operands, Arm64Registers)
{
    EXPECT_EQ(one("8@x0", arm()), in_register(8, "x0", Machine::Aarch64));
    EXPECT_EQ(one("-4@w1", arm()), as_signed(in_register(4, "x1", Machine::Aarch64)));
    EXPECT_EQ(one("1@w2", arm()), in_register(1, "x2", Machine::Aarch64));
    EXPECT_EQ(one("8@sp", arm()), in_register(8, "sp", Machine::Aarch64));
    EXPECT_EQ(one("8@xzr", arm()), constant(8, 0));
    EXPECT_NE(unsupported("8f@d0", arm()), "");
    EXPECT_NE(unsupported("8@%rdi", arm()), "");
}

TEST(Operands, Arm64Constants)
{
    EXPECT_EQ(one("4@5", arm()), constant(4, 5));
    EXPECT_EQ(one("-4@-1", arm()), as_signed(constant(4, -1)));
    EXPECT_EQ(one("8@#16", arm()), constant(8, 16));
}

TEST(Operands, Arm64Memory)
{
    EXPECT_EQ(one("8@[x0]", arm()), in_memory(8, "x0", 0, Machine::Aarch64));
    EXPECT_EQ(one("-4@[sp, 60]", arm()), as_signed(in_memory(4, "sp", 60, Machine::Aarch64)));
    EXPECT_EQ(one("8@[x29,-16]", arm()), in_memory(8, "x29", -16, Machine::Aarch64));
    EXPECT_EQ(one("8@[sp, #16]!", arm()), in_memory(8, "sp", 16, Machine::Aarch64));
    EXPECT_EQ(one("8@[x1], 16", arm()), in_memory(8, "x1", 0, Machine::Aarch64));
    EXPECT_EQ(one("8@[x19, x2]", arm()),
              indexed(in_memory(8, "x19", 0, Machine::Aarch64), "x2", 1, Machine::Aarch64));
    EXPECT_EQ(one("8@[x0, x1, lsl 3]", arm()),
              indexed(in_memory(8, "x0", 0, Machine::Aarch64), "x1", 8, Machine::Aarch64));
    EXPECT_EQ(unsupported("8@[x0, x1, sxtx 3]", arm()), "its index is extended from 32 bits");
    EXPECT_NE(unsupported("8@[x0, w1, sxtw 3]", arm()), "");
    EXPECT_NE(unsupported("8@[x0, x1, lsl 60]", arm()), "");
}

TEST(Operands, Arm64LowBitsOfASymbol)
{
    OperandContext context = arm();
    context.find_object = [](std::string_view) { return 0x5128; };
    EXPECT_EQ(one("4@[x0, #:lo12:counter]", context), in_memory(4, "x0", 0x128, Machine::Aarch64));
    EXPECT_EQ(one("4@[x0, #:lo12:counter+4]", context),
              in_memory(4, "x0", 0x12c, Machine::Aarch64));
}

TEST(Operands, Arm64ArgumentsAreSplitOutsideBrackets)
{
    auto operands = parse_operands("8@x0 -4@[sp, 12] 8@[x1], 8 4@3", arm());
    ASSERT_EQ(operands.size(), 4u);
    EXPECT_EQ(operands[1].text, "-4@[sp, 12]");
    EXPECT_EQ(operands[2].text, "8@[x1], 8");
    EXPECT_EQ(operands[3].operand, constant(4, 3));
}

TEST(Operands, AllOfRealFilesCanBeRead)
{
    unsigned files = 0;
    for (const char *pattern :
         {"/usr/lib/jvm/java-*-openjdk-*/lib/server/libjvm.so",
          "/usr/lib/postgresql/*/bin/postgres", "/usr/bin/python3.[0-9][0-9]",
          "/usr/lib/*/libruby-[0-9].[0-9].so.[0-9].[0-9]", "/usr/bin/php[0-9].[0-9]"}) {
        std::string path = uscope::tests::installed(pattern);
        if (path.empty())
            continue;
        ++files;
        auto image = uscope::elf::Image::open(path);
        ASSERT_TRUE(image) << image.error().text;
        auto probes = read_probes(*image);
        ASSERT_TRUE(probes) << probes.error().text;
        OperandContext context = x86();
        context.find_object = [](std::string_view) { return 0x5000; };
        for (const Probe &probe : *probes)
            for (const Location &location : probe.locations)
                for (const NotedOperand &noted : parse_operands(location.arguments, context))
                    EXPECT_NE(noted.operand.kind, Kind::Unsupported)
                        << probe.name << " " << noted.text << ": " << noted.operand.why;
    }
    if (files == 0)
        GTEST_SKIP() << "none of the files is installed";
}

}  // namespace
