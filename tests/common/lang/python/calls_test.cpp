#include "lang/python/calls.h"

#include <gtest/gtest.h>

#include "common/lang/python/interpreter.h"

namespace uscope::lang {
namespace {

CodeSites find(const std::string &file, const Version &version = {3, 13, 5})
{
    auto image = elf::Image::parse(Bytes(file), "python3.13");
    EXPECT_TRUE(image);
    return find_python_calls(*image, version);
}

TEST(PythonCalls, PassTheFirstJumpOfEachResume)
{
    tests::Interpreter interpreter;
    CodeSites sites = find(interpreter.build());
    ASSERT_EQ(sites.size(), 3u);
    EXPECT_EQ(sites["RESUME"].vaddr, interpreter.jump(149));
    EXPECT_EQ(sites["RESUME_CHECK"].vaddr, interpreter.jump(207));
    EXPECT_EQ(sites["RESUME"].condition,
              "(*(uint16_t *)*(uint64_t *)(reg(\"rbx\") + 56) & 0x3ff) == 149");
    EXPECT_EQ(sites["RESUME"].values[Role::Method],
              "str(*(uint64_t *)(*(uint64_t *)reg(\"rbx\") + 128) + 40)");
}

TEST(PythonCalls, KnowTheFrameByWhatIsStoredThere)
{
    tests::Interpreter interpreter;
    interpreter.store = {"\x4d\x89\x7c\x24\x38", 5};  // mov %r15,0x38(%r12)
    CodeSites sites = find(interpreter.build());
    EXPECT_EQ(sites["RESUME"].condition,
              "(*(uint16_t *)*(uint64_t *)(reg(\"r12\") + 56) & 0x3ff) == 149");
}

TEST(PythonCalls, AreNotGuessedWithoutThatStore)
{
    tests::Interpreter interpreter;
    interpreter.store = {"\x48\x89\x6b\x40", 4};  // mov %rbp,0x40(%rbx)
    EXPECT_TRUE(find(interpreter.build()).empty());
}

TEST(PythonCalls, AreNotFoundInATableOfAnotherVersion)
{
    std::string file = tests::Interpreter().build();
    EXPECT_TRUE(find(file, {3, 14, 0}).empty());
    EXPECT_TRUE(find(file, {3, 10, 0}).empty());
    EXPECT_TRUE(find(file, {3, 15, 0}).empty());
}

TEST(PythonCalls, AreNotGuessedAmongSeveralTables)
{
    tests::Interpreter interpreter;
    interpreter.tables = 2;
    EXPECT_TRUE(find(interpreter.build()).empty());
}

TEST(PythonCalls, AreNotFoundWithoutTheGlobalLock)
{
    tests::Interpreter interpreter;
    interpreter.is_free_threaded = true;
    EXPECT_TRUE(find(interpreter.build()).empty());
}

TEST(PythonCalls, OfAFlowHaveReturnsAndYieldsToo)
{
    tests::Interpreter interpreter;
    interpreter.has_flow = true;
    CodeSites sites = find(interpreter.build());
    EXPECT_EQ(sites.size(), 10u);
    EXPECT_EQ(sites["entry RESUME"].vaddr, interpreter.jump(149));
    EXPECT_EQ(sites["entry RESUME"].condition,
              "(*(uint16_t *)*(uint64_t *)(reg(\"rbx\") + 56) & 0xff) == 149");
    EXPECT_EQ(sites["entry thrown"].vaddr, interpreter.evaluate() + 4);  // after endbr64
    EXPECT_EQ(sites["return"].vaddr, interpreter.clear() + 4);
    EXPECT_EQ(sites["return"].condition,
              "*(uint64_t *)(reg(\"rsi\") + 56) > *(uint64_t *)reg(\"rsi\") + 200 + "
              "2 * *(int32_t *)(*(uint64_t *)reg(\"rsi\") + 184)");
    EXPECT_EQ(sites["YIELD_VALUE"].vaddr, interpreter.vaddr(118));
    EXPECT_EQ(sites["YIELD_VALUE"].values[Role::Method], sites["RESUME"].values[Role::Method]);
}

TEST(PythonCalls, OfAFlowAreNotGuessedWithoutTheCallAtReturns)
{
    tests::Interpreter interpreter;
    interpreter.has_flow = true;
    interpreter.clears_frames = false;
    EXPECT_EQ(find(interpreter.build()).size(), 3u);
}

TEST(PythonCalls, OfAFlowNeedTheFunctionsOfFrames)
{
    EXPECT_EQ(find(tests::Interpreter().build()).size(), 3u);
}

TEST(PythonCalls, AreNotFoundOnAnotherProcessor)
{
    tests::Interpreter interpreter;
    interpreter.machine = EM_AARCH64;
    EXPECT_TRUE(find(interpreter.build()).empty());
}

}  // namespace
}  // namespace uscope::lang
