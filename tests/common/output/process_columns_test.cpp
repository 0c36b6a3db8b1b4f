#include "output/process_columns.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "output/histogram_rows.h"
#include "output/rows.h"

using namespace uscope;
using namespace uscope::output;

namespace {

struct Event {
    std::optional<int> pid;
    const char *comm;
    int count;
};
using Fields = std::vector<Field<Event>>;

class ProcessColumns : public testing::Test {
  protected:
    ProcessColumns() : writer_(STDOUT_FILENO)
    {
        auto container = [](int64_t pid) { return std::string(pid == 7 ? "web" : ""); };
        auto id = [](int64_t pid) { return std::string(pid == 7 ? "0123" : ""); };
        writer_.set_process_columns({{"CONTAINER", 10, "container", container}, {"", 0, "id", id}});
    }
    std::string rows(Fields fields, bool json)
    {
        Rows<Event> rows(writer_, std::move(fields), json);
        rows.header();
        rows.add({7, "sh", 1});
        rows.add({8, "sh", 2});
        rows.add({{}, "sh", 3});
        return std::exchange(writer_.buffer(), {});
    }

    Writer writer_;
    Fields all_ = {{"PID", 3, "pid", or_dash(&Event::pid)},
                   {"COMM", 5, "comm", &Event::comm},
                   {"COUNT", right(5), "count", &Event::count}};
};

TEST_F(ProcessColumns, FollowTheProcess)
{
    EXPECT_EQ(rows(all_, false),
              "PID COMM  CONTAINER  COUNT\n"
              "7   sh    web            1\n"
              "8   sh    -              2\n"
              "-   sh    -              3\n");
    EXPECT_EQ(rows(all_, true), R"({"pid":7,"comm":"sh","container":"web","id":"0123","count":1})"
                                "\n"
                                R"({"pid":8,"comm":"sh","count":2})"
                                "\n"
                                R"({"comm":"sh","count":3})"
                                "\n");
}

TEST_F(ProcessColumns, AreWhereTheProcessIs)
{
    Fields no_process = {{"COUNT", 5, "count", &Event::count}};
    EXPECT_EQ(rows(no_process, false), "COUNT\n1\n2\n3\n");
    Fields only_json = {{"pid", &Event::pid}, {"COUNT", 5, "count", &Event::count}};
    EXPECT_EQ(rows(only_json, false), "COUNT\n1\n2\n3\n");
    EXPECT_TRUE(
        rows(only_json, true).starts_with(R"({"pid":7,"container":"web","id":"0123","count":1})"));
}

TEST_F(ProcessColumns, AreInTheTitlesOfHistograms)
{
    Fields fields = {{"comm", &Event::comm}, {"pid", &Event::pid}};
    auto shown = [&](bool json) {
        HistogramRows<Event> rows(writer_, fields, {.label = "us", .unit = "us", .json = json});
        rows.add({7, "sh", 1}, {}, 5);
        rows.add({8, "sh", 1}, {}, 5);
        return std::exchange(writer_.buffer(), {});
    };
    std::string text = shown(false);
    EXPECT_NE(text.find("comm = sh, pid = 7, container = web\n"), text.npos) << text;
    EXPECT_NE(text.find("comm = sh, pid = 8\n"), text.npos) << text;
    std::string json = shown(true);
    EXPECT_TRUE(json.starts_with(
        R"({"time_ns":5,"comm":"sh","pid":7,"container":"web","id":"0123","histogram":)"))
        << json;
}

}  // namespace
