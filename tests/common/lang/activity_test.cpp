#include "lang/activity.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

using namespace uscope;
using lang::Activity;

namespace {

Activity ruby()
{
    Activity row;
    row.pid = 181;
    row.language = "ruby";
    row.command = "ruby x.rb";
    row.values[ACTIVITY_METHODS] = 1000;
    row.values[ACTIVITY_COLLECTIONS] = 2;
    row.values[ACTIVITY_COUNTS] = 250'000'000;
    row.reported = 1 << ACTIVITY_METHODS | 1 << ACTIVITY_COLLECTIONS | 1 << ACTIVITY_COUNTS;
    return row;
}

}  // namespace

namespace {

std::string rows(const Activity &activity, double seconds, bool json)
{
    output::Writer writer(-1);
    output::Rows<lang::ActivityRow> rows(writer, lang::activity_fields(), json);
    rows.header();
    rows.add({activity, seconds, 1700});
    std::string text = writer.buffer();
    writer.buffer().clear();
    return text;
}

}  // namespace

TEST(Activity, TextHasRatesInBccsColumns)
{
    EXPECT_EQ(rows(ruby(), 2, false),
              "PID    CMDLINE              METHOD/s   GC/s   OBJNEW/s   CLOAD/s  EXC/s  THR/s  "
              "GC%    BYTES/s\n"
              "181    ruby x.rb            500        1      -          -        -      -      "
              "12.5   -\n");
}

TEST(Activity, ALongCommandIsCut)
{
    Activity row = ruby();
    row.command = "/usr/local/bin/ruby x.rb";
    EXPECT_NE(rows(row, 1, false).find("\n181    /usr/local/bin/ruby  1"), std::string::npos);
}

TEST(Activity, JsonHasCountsAndWhatIsUnknown)
{
    auto json = nlohmann::json::parse(rows(ruby(), 2, true));
    EXPECT_EQ(json, nlohmann::json::parse(R"({"time_ns":1700,"seconds":2.0,"pid":181,
        "language":"ruby","command":"ruby x.rb","methods":1000,"gcs":2,"objects":null,
        "classes":null,"exceptions":null,"threads":null,"gc_ns":250000000,"bytes":null})"));
}

TEST(Activity, TheMostComeFirst)
{
    std::vector<Activity> rows = {ruby(), ruby(), ruby()};
    rows[0].values[ACTIVITY_METHODS] = 1;
    rows[1].pid = 7;
    lang::sort_activities(rows, {});
    EXPECT_EQ(rows[0].pid, 7);
    rows[2].values[ACTIVITY_THREADS] = 3;
    lang::sort_activities(rows, ACTIVITY_THREADS);
    EXPECT_EQ(rows[0].values[ACTIVITY_THREADS], 3u);
}

TEST(Activity, SortNamesAreBccs)
{
    EXPECT_EQ(*lang::find_activity_column("objnew"), size_t(ACTIVITY_OBJECTS));
    EXPECT_FALSE(lang::find_activity_column("methods").has_value());
}
