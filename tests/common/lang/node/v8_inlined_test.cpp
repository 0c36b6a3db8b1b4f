#include "lang/node/v8_inlined.h"

#include <gtest/gtest.h>

#include "support/v8_memory.h"

namespace uscope::lang {
namespace {

using namespace tests::v8_types;
using tests::Heap, tests::small;

// Optimized code of the function `pay`, into which `round` is inlined, as V8 11 stores it: with a
// call that returns to offset 20, and one with the number 1 that returns to 40.
struct Compiled : Heap {
    static constexpr uint32_t size = 64, header_bytes = 16;
    uint64_t pay = add(shared_type, {0}), round = add(shared_type, {0});
    uint64_t start = 0, described = 0;

    // `second`: the translation of the second call, which may refer to that of the first one. It
    // begins 14 bytes after that.
    explicit Compiled(std::string_view second, uint16_t kind = 13)
    {
        // BEGIN 0 2 2, frame of literal 0 at 26, literal 5, frame of literal 1 at 14
        std::string first("\x02\x00\x04\x04\x18\x34\x00\x02\x1d\x0a\x18\x1c\x02\x02", 14);
        uint64_t text = add_bytes(first + std::string(second));
        uint64_t literals = add(list_type, {small(2), pay | 2, round});
        std::vector<uint64_t> words = {small(17), text, small(2), literals};
        words.resize(12);
        for (uint32_t at : {0u, uint32_t(first.size())}) {
            words.insert(words.end(), {small(0), small(at), small(0)});
        }
        uint64_t data = add(list_type, words);
        described = add(shared_type, {0, data, 0, 0, 0, 0, 0, 0}) - 1;
        uint64_t object = append(96);
        start = (object + header_bytes + 31) / 32 * 32;
        append(128);
        uint64_t map = append(16);
        put(map + 12, stream_type);
        put(start - header_bytes, map | 1);
        put(start - header_bytes + 8, described | 1);
        put(described + 40, start);
        put(described + 48, uint32_t(kind));
        put(described + 56, size);
        // two calls; offsets of 2 bytes, numbers of 1
        put(start + size, 2u);
        put(start + size + 4, 0xa1u);
        if (kind == 12) {
            put(start + size + 8, 7u);
            put(start + size + 12, std::array<uint8_t, 12>{20, 0, 1, 51, 0, 0, 40, 0, 2, 53, 0, 0});
        } else {
            put(start + size + 8, std::array<uint8_t, 10>{20, 0, 1, 51, 0, 40, 0, 2, 53, 0});
        }
    }
    std::vector<V8Inlined::Call> calls(uint64_t offset, int major = 11) const
    {
        Memory memory = tests::v8_memory(bytes(), major);
        return V8Inlined::open(memory, major, 3)->calls(memory, start + offset);
    }
};

// Refers to the first instruction after BEGIN of the translation 14 bytes before, and then has a
// frame of its own.
constexpr std::string_view refers("\x03\x0e\x04\x04\x26\x18\x06\x02\x02", 9);

TEST(V8Inlined, FindsTheFunctionsOfACall)
{
    Compiled code(refers);
    std::vector<V8Inlined::Call> wanted = {{code.round, 14}, {code.pay, 26}};
    EXPECT_EQ(code.calls(20), wanted);
    // V8 has dropped the code, and lets the call return elsewhere.
    EXPECT_EQ(code.calls(50), wanted);
    EXPECT_TRUE(code.calls(21).empty());
    EXPECT_TRUE(code.calls(Compiled::size + 1).empty());
}

TEST(V8Inlined, ReadsInstructionsThatReferToFormerOnes)
{
    Compiled code(refers);
    std::vector<V8Inlined::Call> wanted = {{code.round, 3}, {code.pay, 26}};
    EXPECT_EQ(code.calls(40), wanted);
}

TEST(V8Inlined, ReadsTheTableOfMaglev)
{
    Compiled code(refers, 12);
    EXPECT_EQ(code.calls(20), (std::vector<V8Inlined::Call>{{code.round, 14}, {code.pay, 26}}));
    EXPECT_EQ(code.calls(40), (std::vector<V8Inlined::Call>{{code.round, 3}, {code.pay, 26}}));
}

TEST(V8Inlined, ShowsNothingIfTheDataIsDamaged)
{
    for (std::string_view text :
         {std::string_view("\x03\x0e\x04\x04\x50", 5),  // more instructions than there are
          std::string_view("\x03\x0d\x04\x04\x26", 5),  // no translation begins there
          std::string_view("\x18\x06\x02\x02", 4),      // does not begin
          std::string_view("\x03\x00\x04\x04\x18\x06\x04\x02", 8)})  // there is no literal 2
        EXPECT_TRUE(Compiled(text).calls(40).empty());
}

TEST(V8Inlined, KnowsOnlyVersionsOfNode)
{
    Compiled code(refers);
    Memory memory = tests::v8_memory(code.bytes(), 11);
    EXPECT_TRUE(V8Inlined::open(memory, 11, 3));
    EXPECT_FALSE(V8Inlined::open(memory, 11, 4));
    EXPECT_FALSE(V8Inlined::open(memory, 15, 0));
}

}  // namespace
}  // namespace uscope::lang
