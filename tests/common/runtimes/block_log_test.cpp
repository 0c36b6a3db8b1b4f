#include "runtimes/block_log.h"

#include <gtest/gtest.h>

namespace uscope::runtimes {
namespace {

memleak_event event_of(uint32_t what)
{
    memleak_event event = {};
    event.address = 0x5000;
    event.bytes = 24;
    event.tgid = 181;
    event.tid = 182;
    event.what = what;
    strcpy(event.comm, "shop");
    return event;
}

std::string row(const memleak_event &event, bool json)
{
    output::Writer writer(-1);
    output::Clock clock;
    output::Rows<memleak_event>(writer, block_event_fields(clock), json).add(event);
    std::string text = writer.buffer();
    writer.buffer().clear();
    return text;
}

TEST(BlockLog, ShowsTheSizeOfWhatIsAllocated)
{
    memleak_event event = event_of(MEMLEAK_ALLOCATED);
    EXPECT_TRUE(row(event, false).ends_with("alloc  0x5000             24\n")) << row(event, false);
    EXPECT_TRUE(row(event, true)
                    .ends_with(R"("pid":181,"tid":182,"comm":"shop","address":"0x5000","bytes":24})"
                               "\n"))
        << row(event, true);
}

TEST(BlockLog, ShowsOnlyTheAddressOfWhatIsFreed)
{
    memleak_event event = event_of(MEMLEAK_FREED);
    EXPECT_TRUE(row(event, false).ends_with("free   0x5000\n")) << row(event, false);
    EXPECT_TRUE(row(event, true).starts_with(R"({"type":"freed",)")) << row(event, true);
    EXPECT_TRUE(row(event, true)
                    .ends_with(R"("address":"0x5000"})"
                               "\n"))
        << row(event, true);
}

}  // namespace
}  // namespace uscope::runtimes
