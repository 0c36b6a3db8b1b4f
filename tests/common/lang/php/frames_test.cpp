#include "lang/php/frames.h"

#include <gtest/gtest.h>

#include "common/elf/elf_builder.h"
#include "elf/image.h"
#include "lang/memory.h"

namespace uscope::lang {
namespace {

TEST(PhpFrames, KnowsItsFilesByName)
{
    for (const char *name :
         {"php", "php8.2", "php-fpm8.2", "php-cgi7.4", "libphp8.2.so", "libphp.so"})
        EXPECT_TRUE(is_php(name)) << name;
    for (const char *name : {"phpdbg8.2", "phpize", "python3.11", "libphp", "php-config"})
        EXPECT_FALSE(is_php(name)) << name;
}

// Returns machine code that reads a structure: endbr64, `mov offset(%rax),%rdx` for each of these
// offsets, and `mov 24(%rax),%eax`.
std::string reads(std::initializer_list<uint32_t> offsets)
{
    std::string code = {"\xf3\x0f\x1e\xfa", 4};
    for (uint32_t offset : offsets) {
        code += std::string("\x48\x8b\x90", 3);
        code.append(reinterpret_cast<const char *>(&offset), sizeof offset);
    }
    return code + std::string("\x48\x8b\x00\x8b\x40\x18\xc3", 7);
}

// Returns "known" if the frames of this version can be read, else how messages name the
// interpreter.
std::string unknown(const std::string &version, uint32_t file)
{
    std::string line = reads({488, 24, 48}), of_file = reads({488, 24, 48, file});
    elf::ElfBuilder builder;
    uint64_t code = elf::ElfBuilder::base + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
    builder.add_section(".text", SHT_PROGBITS, line + of_file + "globals");
    builder.add_function("zend_get_executed_lineno", code, STT_FUNC, line.size());
    builder.add_function("zend_get_executed_filename_ex", code + line.size(), STT_FUNC,
                         of_file.size());
    builder.add_function("executor_globals", code + line.size() + of_file.size(), STT_OBJECT);
    builder.add_function("execute_ex", code);
    builder.add_symbol_table(".dynsym", SHT_DYNSYM);
    builder.add_section(".rodata", SHT_PROGBITS,
                        "X-Powered-By: PHP/" + version + std::string(1, '\0'));
    std::string bytes = builder.build();
    auto image = elf::Image::parse(Bytes(bytes), "php");
    std::string unknown = "no interpreter";
    return image && find_php_frames(*image, elf::Frames::of(*image), &unknown) ? "known" : unknown;
}

TEST(PhpFrames, TakesOffsetsThatTheFileItselfUses)
{
    EXPECT_EQ(unknown("8.2.36", 152), "known");
    EXPECT_EQ(unknown("7.4.33", 136), "known");
    EXPECT_EQ(unknown("8.2.36", 168), "PHP 8.2.36");
    EXPECT_EQ(unknown("8.9.0", 168), "PHP 8.9");
    EXPECT_EQ(unknown("", 152), "PHP");
}

}  // namespace
}  // namespace uscope::lang
