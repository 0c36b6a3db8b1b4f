#include "lang/java/hotspot.h"

#include <gtest/gtest.h>

#include "lang/java/threads.h"
#include "support/hotspot_memory.h"

namespace uscope::lang {
namespace {

using tests::hotspot_memory;
using tests::memory_of;

TEST(Hotspot, TellsItsFlags)
{
    std::string bytes = hotspot_memory("21.0.5+11");
    Memory memory = memory_of(bytes);
    auto jvm = Hotspot::open(memory);
    ASSERT_TRUE(jvm);
    EXPECT_EQ(
        jvm->flags({"DTraceMethodProbes", "DTraceAllocProbes", "UseNothing"}),
        (std::map<std::string, bool>{{"DTraceAllocProbes", false}, {"DTraceMethodProbes", true}}));
}

TEST(Hotspot, TellsNoFlagsBeforeItHasReadItsCommandLine)
{
    std::string bytes = hotspot_memory("21.0.5+11", 0);
    Memory memory = memory_of(bytes);
    auto jvm = Hotspot::open(memory);
    ASSERT_TRUE(jvm);
    EXPECT_TRUE(jvm->flags({"DTraceMethodProbes"}).empty());
}

TEST(Hotspot, HasTheVersionOfItsJdk)
{
    for (auto [text, version] : {std::pair("17.0.21+9-1-deb12u1-Debian", Version{17, 0, 21}),
                                 std::pair("25.392-b08", Version{8, 0, 392}),
                                 std::pair("25+36-1-Debian", Version{25, 0, 0})}) {
        std::string bytes = hotspot_memory(text);
        Memory memory = memory_of(bytes);
        EXPECT_EQ(Hotspot::open(memory)->version(), version) << text;
    }
}

TEST(Hotspot, TellsWhereItsThreadsHaveFields)
{
    std::string bytes = hotspot_memory("21.0.5+11");
    Memory memory = memory_of(bytes);
    auto jvm = Hotspot::open(memory);
    ASSERT_TRUE(jvm);
    EXPECT_EQ(jvm->thread_field("_vthread"), 904u);
    EXPECT_FALSE(jvm->thread_field("_next"));
}

TEST(Hotspot, WithoutItsCodeVirtualThreadsAreNotTold)
{
    std::string bytes = hotspot_memory("21.0.5+11");
    Memory memory = memory_of(bytes);
    auto threads = find_virtual_threads(*Hotspot::open(memory), memory, nullptr);
    EXPECT_EQ(threads.identified, VirtualThreads::Identified::Undetected);
    EXPECT_EQ(threads.expression, "");
}

TEST(Hotspot, IsNotThereWithoutItsTables)
{
    std::string nothing(200, '\0');
    Memory memory = memory_of(nothing);
    EXPECT_FALSE(Hotspot::open(memory));
}

TEST(Hotspot, IsNotThereWithMoreFlagsThanAnyHas)
{
    tests::HotspotBuilder jvm;
    uint64_t text = jvm.add_text("21"), place = jvm.add(text), flags = jvm.add(jvm.add(0));
    jvm.structs({{"VM_Version", "_s_vm_release", 0, place},
                 {"JVMFlag", "flags", 0, flags},
                 {"JVMFlag", "numFlags", 0, jvm.add(1'000'000)}});
    jvm.type("JVMFlag", 16);
    Memory memory = memory_of(jvm.bytes);
    EXPECT_FALSE(Hotspot::open(memory));
}

}  // namespace
}  // namespace uscope::lang
