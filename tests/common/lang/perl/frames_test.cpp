#include "lang/perl/frames.h"

#include <gtest/gtest.h>

#include "common/elf/elf_builder.h"
#include "elf/image.h"
#include "lang/memory.h"
#include "support/process_memory.h"

namespace uscope::lang {
namespace {

TEST(PerlFrames, KnowsItsFilesByName)
{
    for (const char *name : {"perl", "perl5.36.0", "perl5.36-x86_64-linux-gnu", "libperl.so.5.36",
                             "libperl.so.5.40.1"})
        EXPECT_TRUE(is_perl(name)) << name;
    for (const char *name : {"perldoc", "libperl.a", "perlbug", "php"})
        EXPECT_FALSE(is_perl(name)) << name;
}

// Returns the Perl interpreter of this version in a program whose Perl_caller_cx() reads the list
// of contexts at the offset `contexts`.
std::optional<Interpreter> perl_of(char version, uint32_t contexts)
{
    std::string caller = {"\xf3\x0f\x1e\xfa\x4c\x8b\x9f", 7};  // mov offset(%rdi),%r11
    caller.append(reinterpret_cast<const char *>(&contexts), sizeof contexts);
    caller += '\xc3';
    elf::ElfBuilder builder;
    uint64_t code = elf::ElfBuilder::base + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
    builder.add_section(".text", SHT_PROGBITS, caller + version + "key");
    builder.add_function("Perl_caller_cx", code, STT_FUNC, caller.size());
    builder.add_function("Perl_runops_standard", code, STT_FUNC, caller.size());
    builder.add_function("PL_version", code + caller.size(), STT_OBJECT);
    builder.add_function("PL_thr_key", code + caller.size() + 1, STT_OBJECT);
    builder.add_symbol_table(".dynsym", SHT_DYNSYM);
    std::string bytes = builder.build();
    auto image = elf::Image::parse(Bytes(bytes), "perl");
    return image ? find_perl_frames(*image, elf::Frames::of(*image)) : std::nullopt;
}

TEST(PerlFrames, TakesOffsetsThatTheFileItselfUses)
{
    EXPECT_TRUE(perl_of(32, 0xf0));
    EXPECT_TRUE(perl_of(36, 0xe0));
    EXPECT_TRUE(perl_of(40, 0xe0));
    EXPECT_FALSE(perl_of(36, 0xf0));
    EXPECT_FALSE(perl_of(35, 0xe0));
}

void put_name(ProcessMemory &process, uint64_t at, const std::string &text, bool is_utf8)
{
    process.put<uint32_t>(at + 4, uint32_t(text.size()));
    process.put_text(at + 8, text);
    process.put<uint8_t>(at + 8 + text.size() + 1, is_utf8);
}

constexpr uint64_t perl_body = 0x10000, glob_at = 0x10100, package = 0x10200, entry = 0x10300;
constexpr uint64_t alias = 0x10400, name = 0x10500, package_name = 0x10600, file = 0x10700;
constexpr uint64_t other = 0x10800, place = 0x10900;

// Returns the memory of a process with a function of Perl 5.36 in a package; a glob has its name.
ProcessMemory function()
{
    ProcessMemory process;
    process.put<uint64_t>(perl_body + 40, 0x20000);
    process.put<uint64_t>(perl_body + 56, glob_at);
    process.put<uint64_t>(perl_body + 64, file);
    process.put<uint32_t>(perl_body + 92, 0);
    process.put<uint64_t>(perl_body + 32, package);
    process.put<uint64_t>(glob_at, glob_at + 32);
    process.put<uint64_t>(glob_at + 16, entry);
    process.put<uint64_t>(glob_at + 32 + 32, name);
    process.put<uint64_t>(glob_at + 32 + 40, package);
    process.put<uint64_t>(entry + 56, 0);
    process.put<uint64_t>(package, package + 16);
    process.put<uint64_t>(package + 16 + 32, package_name);
    process.put<int32_t>(package + 16 + 32 + 28, 0);
    put_name(process, name,
             "gr\xf6\xdf"
             "e",
             false);
    put_name(process, package_name, "Shape::\xc3\xa9", true);
    process.put_text(file, "/srv/shape.pm");
    return process;
}

std::optional<Code> read(const ProcessMemory &process, uint64_t code)
{
    auto perl = perl_of(36, 0xe0);
    return perl ? perl->read(process.memory(), 0, code) : std::nullopt;
}

TEST(PerlFrames, FunctionsHaveTheNameOfTheirGlob)
{
    ProcessMemory process = function();
    auto code = read(process, perl_body);
    ASSERT_TRUE(code);
    EXPECT_EQ(code->function, "Shape::\u00e9::gr\u00f6\u00dfe");
    EXPECT_EQ(code->file, "/srv/shape.pm");
    EXPECT_EQ(code->line(12), 12u);
    EXPECT_EQ(code->line(UNWIND_CONTEXT_NO_LINE), 0u);

    // The function's glob is an alias of another glob.
    process.put<uint64_t>(entry + 56, alias);
    process.put<uint64_t>(alias, alias + 32);
    process.put<uint64_t>(alias + 32 + 32, other);
    process.put<uint64_t>(alias + 32 + 40, package);
    put_name(process, other, "first", false);
    EXPECT_EQ(read(process, perl_body)->function, "Shape::\u00e9::first");
}

TEST(PerlFrames, FunctionsMayHaveNoGlob)
{
    ProcessMemory process = function();
    process.put<uint64_t>(perl_body + 56, name);
    process.put<uint32_t>(perl_body + 92, 0x8000);
    EXPECT_EQ(read(process, perl_body)->function, "Shape::\u00e9::gr\u00f6\u00dfe");
    process.put<uint32_t>(perl_body + 92, 0x18000);  // declared by "my sub": it has its name itself
    EXPECT_EQ(read(process, perl_body)->function, "gr\u00f6\u00dfe");
    process.put<uint32_t>(perl_body + 92, 0x8000);
    process.put<uint64_t>(perl_body + 32, 0);  // its package was deleted
    EXPECT_EQ(read(process, perl_body)->function, "__ANON__::gr\u00f6\u00dfe");
}

TEST(PerlFrames, WhatIsInNoFunctionIsCalledByItsKind)
{
    ProcessMemory process = function();
    process.put<uint64_t>(place + 16, 0x20000);
    process.put<uint64_t>(place + 40, 3);
    process.put<uint64_t>(place + 48, file);
    auto code = read(process, place);
    ASSERT_TRUE(code);
    auto name_of = [&](uint64_t kind) {
        return code->function_at(kind << UNWIND_CONTEXT_SHIFT | 12);
    };
    EXPECT_EQ(name_of(UNWIND_CONTEXT_MAIN), "<main>");
    EXPECT_EQ(name_of(UNWIND_CONTEXT_EVAL), "(eval)");
    EXPECT_EQ(name_of(UNWIND_CONTEXT_BLOCK), "(block)");
    EXPECT_EQ(code->line(uint64_t{UNWIND_CONTEXT_EVAL} << UNWIND_CONTEXT_SHIFT | 12), 12u);
    EXPECT_EQ(code->file, "/srv/shape.pm");
}

TEST(PerlFrames, AreNotReadFromSomethingElse)
{
    EXPECT_FALSE(read(function(), 0x100000));
    ProcessMemory process = function();
    process.put<uint32_t>(name + 4, 1u << 30);
    EXPECT_FALSE(read(process, perl_body));
    process = function();
    process.put<uint64_t>(perl_body + 64, 0x100000);
    EXPECT_FALSE(read(process, perl_body));
}

}  // namespace
}  // namespace uscope::lang
