#include "output/chrome_trace.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

using namespace uscope;
using nlohmann::json;

namespace {

struct File {
    std::string out;
    output::ChromeTrace trace{out};
    json parsed()
    {
        trace.finish();
        return json::parse(std::string(out.data(), out.size()));
    }
};

}  // namespace

TEST(ChromeTrace, ASliceHasABeginAndAnEnd)
{
    File file;
    file.trace.begin(1, 2, 1'000'250, "Job.run");
    file.trace.end(1, 2, 1'042'000);
    EXPECT_EQ(file.parsed(),
              json::parse(R"([{"ph":"B","pid":1,"tid":2,"ts":1000.25,"name":"Job.run","cat":"Job"},
                              {"ph":"E","pid":1,"tid":2,"ts":1042}])"));
}

TEST(ChromeTrace, TheCategoryIsTheClass)
{
    auto category = [](std::string_view name) {
        File file;
        file.trace.begin(1, 2, 3, name);
        json slice = file.parsed()[0];
        return slice.contains("cat") ? slice["cat"].get<std::string>() : "none";
    };
    EXPECT_EQ(category("shop.Job.run"), "shop.Job");
    EXPECT_EQ(category("app::Job::run(a.b)"), "app::Job");
    EXPECT_EQ(category("App\\Job->run"), "App\\Job");
    EXPECT_EQ(category("run"), "none");
    EXPECT_EQ(category(".run"), "none");
}

TEST(ChromeTrace, TimesKeepTheirNanoseconds)
{
    File file;
    file.trace.end(1, 2, 86'400'000'000'007);
    EXPECT_NE(std::string_view(file.out.data(), file.out.size()).find("\"ts\":86400000000.007"),
              std::string_view::npos);
}

TEST(ChromeTrace, ProcessesAndThreadsHaveNames)
{
    File file;
    file.trace.name_process(1, "java");
    file.trace.name_thread(1, 2, "worker");
    json events = file.parsed();
    EXPECT_EQ(events[0], json::parse(R"({"ph":"M","pid":1,"tid":1,"name":"process_name",
                                         "args":{"name":"java"}})"));
    EXPECT_EQ(events[1]["args"]["name"], "worker");
}

TEST(ChromeTrace, AMomentBelongsToItsThread)
{
    File file;
    file.trace.instant(1, 2, 5000, "3 events lost");
    EXPECT_EQ(file.parsed()[0], json::parse(R"({"ph":"i","s":"t","pid":1,"tid":2,"ts":5,
                                                "name":"3 events lost"})"));
}

TEST(ChromeTrace, NamesAreEscaped)
{
    File file;
    file.trace.begin(1, 2, 0, "a\"\n");
    file.trace.begin(1, 2, 0, "\xff");
    json events = file.parsed();
    EXPECT_EQ(events[0]["name"], "a\"\n");
    EXPECT_EQ(events[1]["name"], "\uefff");
}

TEST(ChromeTrace, NothingIsAnEmptyArray)
{
    EXPECT_EQ(File().parsed(), json::array());
}
