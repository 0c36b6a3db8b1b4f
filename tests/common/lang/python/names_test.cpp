#include "lang/python/names.h"

#include <gtest/gtest.h>

#include "support/hotspot_memory.h"

namespace uscope::lang {
namespace {

// A memory with a code object of Python 3.12 or later at address 0, and its names at 256 and 512.
struct Code {
    std::string bytes = std::string(1024, '\0');
    PythonNames seen = {"a.py", ""};

    Code()
    {
        put_address(112, 256);
        put_address(128, 512);
        put_text(256, 4, 1 | 16, "a.py");
    }
    void put_address(size_t at, uint64_t address)
    {
        bytes.replace(at, 8, reinterpret_cast<char *>(&address), 8);
    }
    // Writes a str object. `state`: bytes per character (1, 2 or 4), plus 16 if all are ASCII.
    void put_text(size_t at, uint64_t length, uint8_t state, const std::string &characters)
    {
        put_address(at + 16, length);
        bytes[at + 32] = char(state << 2);
        bytes.replace(at + (state & 16 ? 40 : 56), characters.size(), characters);
    }
    std::optional<PythonNames> read() const
    {
        return read_python_names(tests::memory_of(bytes), 0, PythonName::Qualified, {3, 13, 0},
                                 seen, 120);
    }
};

TEST(PythonNames, OfOneByteACharacterAreLatin1)
{
    Code code;
    code.put_text(512, 5, 1,
                  "gr\xf6\xdf"
                  "e");
    ASSERT_TRUE(code.read());
    EXPECT_EQ(code.read()->function, "größe");
    EXPECT_EQ(code.read()->file, "a.py");
}

TEST(PythonNames, HaveTwoOrFourBytesACharacter)
{
    Code code;
    code.put_text(512, 2, 2, "\x22\x6f\x57\x5b");
    EXPECT_EQ(code.read()->function, "漢字");
    code.put_text(512, 1, 4, {"\x00\x04\x01\x00", 4});
    EXPECT_EQ(code.read()->function, "𐐀");
}

TEST(PythonNames, InAsciiStayAsTheyWereSeen)
{
    Code code;
    code.put_text(512, 4, 1 | 16, "fest");
    code.seen.function = "fest";
    EXPECT_EQ(code.read(), code.seen);
}

TEST(PythonNames, AreNotThoseOfOtherCodeThatIsThereNow)
{
    Code code;
    code.put_text(512, 4, 1 | 16, "fest");
    code.seen.function = "octi";
    EXPECT_FALSE(code.read());
    code.put_text(512, 1, 2, "\x22\x6f");
    code.seen.function = "a_longer_name";
    EXPECT_FALSE(code.read());
}

TEST(PythonNames, AreNothingWhereMemoryEnds)
{
    Code code;
    code.put_text(512, 5, 1,
                  "gr\xf6\xdf"
                  "e");
    code.put_address(128, 4096);
    EXPECT_FALSE(code.read());
    code.put_address(128, 512);
    code.put_text(512, 2000, 1,
                  "gr\xf6\xdf"
                  "e");
    EXPECT_FALSE(code.read());
}

}  // namespace
}  // namespace uscope::lang
