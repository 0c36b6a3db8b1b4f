#include "lang/collections.h"

#include <gtest/gtest.h>

#include "base/format.h"

namespace uscope::lang {
namespace {

output::Value number_value(int64_t value)
{
    return {.kind = output::Value::Kind::Integer, .integer = value};
}
output::Value text_value(std::string_view value)
{
    return {.kind = output::Value::Kind::Text, .text = value};
}

Hook begin_of(const char *kind)
{
    return {.event = Event::GcBegin, .provider = "", .name = "begin", .kind = kind};
}
Hook end_of(const char *kind)
{
    return {.event = Event::GcEnd, .provider = "", .name = "end", .kind = kind};
}

struct CollectionsTest : testing::Test {
    // Adds an event 10 ns after the one before. Returns the description, the duration and the flags
    // of the collections that it ends.
    std::string add(const Hook &hook, Collections::Values values = {}, pid_t tid = 7)
    {
        std::string out;
        for (const Collection &one : collections.add({hook, now += 10, 7, tid, std::move(values)}))
            out += fmt::format("{} {}{}{}{}\n", one.description, one.took_ns,
                               one.is_nested ? " nested" : "", one.is_step ? " step" : "",
                               one.is_detail ? " detail" : "");
        return out;
    }
    std::string pool(const Hook &hook, const char *manager, const char *name, int64_t used)
    {
        return add(hook, {{Role::Manager, text_value(manager)},
                          {Role::Pool, text_value(name)},
                          {Role::Used, number_value(used)},
                          {Role::PoolLimit, number_value(-1)}});
    }
    Collections collections;
    uint64_t now = 1000;
    const Hook python_begin = begin_of(""), python_end = end_of("");
    const Hook java_begin = begin_of("collection"), java_end = end_of("collection");
    const Hook pool_begin = begin_of("pool"), pool_end = end_of("pool");
};

TEST_F(CollectionsTest, AreOfOneThread)
{
    EXPECT_EQ(add(python_begin, {{Role::Generation, number_value(2)}}), "");
    EXPECT_EQ(add(python_end, {{Role::Collected, number_value(5)}}, 8),
              "");  // began before tracing
    EXPECT_EQ(add(python_end, {{Role::Collected, number_value(5)}}),
              "gen 2 GC collected 5 objects 20\n");
    EXPECT_EQ(add(python_end, {{Role::Collected, number_value(5)}}), "");
}

TEST_F(CollectionsTest, OfRubyHaveSteps)
{
    add(begin_of("mark"));
    add(begin_of("sweep"));
    EXPECT_EQ(add(end_of("sweep")), "GC sweep stage 10 nested step\n");
    EXPECT_EQ(add(end_of("mark")), "GC mark stage 30\n");
    add(begin_of("sweep"));
    EXPECT_EQ(add(end_of("sweep")), "GC sweep stage 10 step\n");
}

TEST_F(CollectionsTest, OfNodeHaveTypes)
{
    add(begin_of("gc"));
    EXPECT_EQ(add(end_of("gc"), {{Role::Flags, number_value(6)}}),
              "GC mark-sweep-compact, GC incremental mark 10\n");
    add(begin_of("V8"), {{Role::Flags, number_value(2)}});
    EXPECT_EQ(add(end_of("V8")), "GC minor mark-sweep 10\n");
    add(begin_of("V8"), {{Role::Flags, number_value(9)}});
    EXPECT_EQ(add(end_of("V8")), "GC 10\n");
}

TEST_F(CollectionsTest, OfAJvmAddUpThePoolsOfAManager)
{
    add(java_begin);
    pool(pool_begin, "Copy", "Eden Space", 6 << 20);
    pool(pool_begin, "Copy", "Metaspace", 1 << 20);
    EXPECT_EQ(pool(pool_end, "Copy", "Eden Space", 2 << 20),
              "Copy Eden Space used=6291456->2097152 max=none->none 20 nested detail\n");
    EXPECT_EQ(pool(pool_end, "Copy", "Metaspace", 1 << 20),
              "Copy Metaspace used=1048576->1048576 max=none->none 20 nested detail\n"
              "Copy 6.0M->2.0M 30 nested\n");
    EXPECT_EQ(add(java_end), "collection 50 detail\n");
}

TEST_F(CollectionsTest, OfAJvmWithoutManagersArePauses)
{
    add(java_begin);
    EXPECT_EQ(add(java_end), "pause 10\n");
    add(java_begin, {{Role::Flags, number_value(1)}});
    EXPECT_EQ(add(java_end), "full collection 10\n");
}

TEST_F(CollectionsTest, BecomeFullOnes)
{
    add(java_begin);
    pool(pool_begin, "MarkSweepCompact", "Tenured Gen", 8);
    pool(pool_end, "MarkSweepCompact", "Tenured Gen", 2);
    EXPECT_EQ(add(java_end), "full collection 30 detail\n");
}

TEST_F(CollectionsTest, BeginAgainIfAnEndWasLost)
{
    pool(pool_begin, "Copy", "Eden Space", 6 << 20);
    pool(pool_begin, "Copy", "Eden Space", 4 << 20);
    EXPECT_EQ(pool(pool_end, "Copy", "Eden Space", 0),
              "Copy Eden Space used=4194304->0 max=none->none 10 nested detail\n"
              "Copy 4.0M->0.0M 10 nested\n");
}

}  // namespace
}  // namespace uscope::lang
