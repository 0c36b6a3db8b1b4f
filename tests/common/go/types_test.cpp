#include "go/types.h"

#include <gtest/gtest.h>

#include "common/go/typed_program.h"

namespace uscope::go {
namespace {

// A Go program whose first type is 64 bytes after the start of its type data.
struct Program {
    std::string version = "go1.23.5";
    uint64_t types_word = 37, end_word = 38;
    int32_t name_at = 200;
    uint8_t flags = 2;
    std::string name = std::string("\x01\x13", 2) + "*errors.errorString";

    std::string name_of(uint64_t offset) const
    {
        TypedProgram program = {.version = version,
                                .types_word = types_word,
                                .end_word = end_word,
                                .types = [this](uint64_t) {
                                    std::string data(512, '\0');
                                    data.replace(200, name.size(), name);
                                    put(data, 64 + 20, flags);
                                    put(data, 64 + 40, name_at);
                                    return data;
                                }};
        elf::Image image = program.build();
        TypeNames names(image);
        EXPECT_EQ(names.name(program.vaddr + offset), names.name(program.vaddr + offset));
        return names.name(program.vaddr + offset);
    }
};

TEST(GoTypeNames, AreFoundByTheTypesAddress)
{
    EXPECT_EQ(Program{}.name_of(64), "errors.errorString");
    EXPECT_EQ(Program{.flags = 0}.name_of(64), "*errors.errorString");
}

TEST(GoTypeNames, HaveTheirPlaceByTheVersion)
{
    Program old = {.version = "go1.19.8", .types_word = 35, .end_word = 36};
    EXPECT_EQ(old.name_of(64), "errors.errorString");
    old.types_word = 37;
    EXPECT_EQ(old.name_of(64), "");
    EXPECT_EQ((Program{.version = "go1.27.0", .end_word = 39}.name_of(64)), "errors.errorString");
    EXPECT_EQ(Program{.version = "go1.27.0"}.name_of(64), "");
    EXPECT_EQ(Program{.version = "other"}.name_of(64), "");
}

TEST(GoTypeNames, MayBeLong)
{
    std::string name(200, 'x');
    EXPECT_EQ((Program{.flags = 0, .name = std::string("\x01\xc8\x01", 3) + name}.name_of(64)),
              name);
    EXPECT_EQ((Program{.name = std::string("\x01\xc8\x81", 3) + name}.name_of(64)), "");
}

// In Go 1.15 and 1.16, the length of a name has two bytes.
TEST(GoTypeNames, HadAnotherLength)
{
    Program old = {.version = "go1.16.2", .types_word = 35, .end_word = 36, .flags = 0};
    old.name = std::string("\x01\x00\x04", 3) + "*a.BCD";
    EXPECT_EQ(old.name_of(64), "*a.B");
    old.name = std::string("\x01\x01\x04", 3) + std::string(260, 'x') + "yz";
    EXPECT_EQ(old.name_of(64), std::string(260, 'x'));
    old.version = "go1.17.0";
    EXPECT_NE(old.name_of(64), std::string(260, 'x'));
}

TEST(GoTypeNames, OfWhatIsNoTypeAreEmpty)
{
    EXPECT_EQ(Program{}.name_of(512), "");
    EXPECT_EQ(Program{}.name_of(-8), "");
    EXPECT_EQ(Program{}.name_of(128), "") << "has no name";
    EXPECT_EQ(Program{.name_at = 512}.name_of(64), "");
    EXPECT_EQ(Program{.name_at = -16}.name_of(64), "");
}

}  // namespace
}  // namespace uscope::go
