#include "lang/java/hotspot_code.h"

#include <gtest/gtest.h>

#include "support/hotspot_code_memory.h"

namespace uscope::lang {
namespace {

using tests::CompiledJvm;
using Method = HotspotCode::Method;
using Kind = HotspotCode::Blob::Kind;

std::vector<Method> methods_at(const CompiledJvm &made, uint64_t offset, bool is_return)
{
    Memory memory = made.memory();
    auto code = HotspotCode::open(memory);
    auto blob = code->find(memory, made.blob + CompiledJvm::code_at);
    return code->methods(memory, *blob, blob->code_begin + offset, is_return);
}

TEST(HotspotCode, FindsThePieceThatAnAddressIsIn)
{
    CompiledJvm made;
    Memory memory = made.memory();
    auto code = HotspotCode::open(memory);
    ASSERT_TRUE(code);
    uint64_t begin = made.blob + CompiledJvm::code_at;
    for (uint64_t pc : {begin, begin + 20, begin + CompiledJvm::code_bytes}) {
        auto blob = code->find(memory, pc);
        ASSERT_TRUE(blob) << pc - begin;
        EXPECT_EQ(blob->kind, Kind::Method);
        EXPECT_EQ(blob->address, made.blob);
        EXPECT_EQ(blob->frame_bytes, 32u);
        EXPECT_EQ(blob->complete_at, 8u);
        EXPECT_EQ(blob->method, made.pay);
        EXPECT_EQ(blob->compile_id, 77u);
        EXPECT_EQ(blob->own_pc_at, 16u);
    }
    EXPECT_EQ(code->find(memory, made.interpreter + CompiledJvm::code_at)->kind, Kind::Interpreter);
}

TEST(HotspotCode, HasNoPieceWhereNoCodeIs)
{
    CompiledJvm made;
    Memory memory = made.memory();
    auto code = HotspotCode::open(memory);
    EXPECT_FALSE(code->find(memory, made.low));   // a free segment
    EXPECT_FALSE(code->find(memory, made.blob));  // before the method's code
    EXPECT_FALSE(code->find(memory, made.blob + CompiledJvm::segment * 2));  // after its code
    EXPECT_FALSE(code->find(memory, made.low - 1));                          // not in the heap
    EXPECT_FALSE(code->find(memory, made.low + 6 * CompiledJvm::segment));
}

TEST(HotspotCode, NamesWhatWasInlinedWithLines)
{
    CompiledJvm made;
    EXPECT_EQ(methods_at(made, 20, true),
              (std::vector<Method>{{"sh\u00f6p.Shop.round", "Shop.java:7"},
                                   {"sh\u00f6p.Shop.pay", "Shop.java:9"}}));
    EXPECT_EQ(methods_at(made, 40, true),
              (std::vector<Method>{{"sh\u00f6p.Shop.pay", "Shop.java:7"}}));
}

TEST(HotspotCode, TakesTheNextPlaceBetweenCalls)
{
    CompiledJvm made;
    EXPECT_EQ(methods_at(made, 10, false).size(), 2u);
    EXPECT_EQ(methods_at(made, 20, false).size(), 1u);
    // This position is not the return address of a call.
    EXPECT_EQ(methods_at(made, 10, true),
              (std::vector<Method>{{"sh\u00f6p.Shop.pay", "Shop.java"}}));
}

// The memory of the scopes was reused for another method.
TEST(HotspotCode, ShowsNoMethodsOfOtherCode)
{
    CompiledJvm made;
    made.jvm.put(made.blob + 32, made.round);
    EXPECT_EQ(methods_at(made, 20, true),
              (std::vector<Method>{{"sh\u00f6p.Shop.round", "Shop.java"}}));
}

TEST(HotspotCode, NamesWhatTheInterpreterExecutes)
{
    CompiledJvm made;
    Memory memory = made.memory();
    auto code = HotspotCode::open(memory);
    uint64_t mask = (1 << HotspotCode::bytecode_bits) - 1;
    auto at = [&](uint64_t bytecode) {
        return code->interpreted(memory, made.pay, bytecode & mask);
    };
    EXPECT_EQ(at(made.pay_bytecodes + 4)->source, "Shop.java:7");
    EXPECT_EQ(at(made.pay_bytecodes + 5)->source, "Shop.java:9");
    EXPECT_EQ(at(made.pay_bytecodes + 10)->source, "Shop.java");
    EXPECT_EQ(at(0)->source, "Shop.java");
    EXPECT_EQ(at(0)->function, "sh\u00f6p.Shop.pay");
    EXPECT_FALSE(code->interpreted(memory, 8, 0));
}

TEST(HotspotCode, IsNotThereWhenTheJvmDoesNotDescribeIt)
{
    std::string bytes = tests::hotspot_memory("21.0.5+11");
    Memory memory = tests::memory_of(bytes);
    EXPECT_FALSE(HotspotCode::open(memory));
}

}  // namespace
}  // namespace uscope::lang
