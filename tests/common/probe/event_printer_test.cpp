#include "probe/event_printer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "bpf/lib/event.h"
#include "probe/build_options.h"
#include "probe/events.h"
#include "probe/program.h"
#include "probe/set.h"
#include "stacks/unwinder.h"
#include "support/files.h"

namespace uscope::probe {
namespace {

const std::string show = "p:" + tests::target("values") + ":show";
constexpr pid_t nobody = 999'999'999;  // no such process

// A record as generated programs write it, with the first layout of the test's program.
class Record {
  public:
    explicit Record(const Program &program) : layout_(program.main.layouts[0])
    {
        bytes_.resize(layout_.record_bytes);
        header_.ts_ns = 5'000'000'000;
        header_.tgid = nobody;
        header_.tid = 182;
        header_.cpu = 3;
        strcpy(header_.comm, "octi");
    }
    event_header &header() { return header_; }
    Record &text(size_t field, std::string_view text)
    {
        expr::StringSlot slot = {int32_t(text.size()), uint32_t(text.size())};
        put(layout_.fields[field].offset, slot);
        memcpy(bytes_.data() + layout_.fields[field].offset + sizeof(slot), text.data(),
               text.size());
        return *this;
    }
    Record &unreadable(size_t field)
    {
        put(layout_.fields[field].offset, expr::StringSlot{-EFAULT, 0});
        return *this;
    }
    Record &integer(size_t field, uint64_t value)
    {
        put(layout_.fields[field].offset, value);
        return *this;
    }
    Bytes bytes() const
    {
        memcpy(bytes_.data(), &header_, sizeof(header_));
        return {bytes_.data(), bytes_.size()};
    }

  private:
    template <class T>
    void put(size_t at, const T &value)
    {
        memcpy(bytes_.data() + at, &value, sizeof(value));
    }

    const expr::Program::Layout &layout_;
    mutable std::vector<char> bytes_;
    event_header header_ = {};
};

class EventPrinterOf : public testing::Test {
  protected:
    void probe(const std::string &text)
    {
        std::vector<ProbeRequest> probes;
        probes.push_back(parse_event(text).value());
        probes[0].event_output = record_output();
        set_.emplace(ProbeSet::build(std::move(probes), {}).value());
        printer_.emplace(writer_, options_, *set_, unwinder_);
    }
    Record record() { return Record(*set_->programs()[0]); }
    bool print(const Record &record) { return printer_->print(record.bytes()); }
    std::string taken()
    {
        std::string text = writer_.buffer();
        writer_.buffer().clear();
        return text;
    }
    // Returns the lines printed since the last call, without trailing blanks.
    std::vector<std::string> lines()
    {
        std::vector<std::string> lines;
        std::string text = taken();
        for (std::string_view line : uscope::split(text, '\n'))
            lines.emplace_back(line.substr(0, line.find_last_not_of(' ') + 1));
        if (!lines.empty() && lines.back().empty())
            lines.pop_back();
        return lines;
    }

    PrintOptions options_;
    output::Writer writer_{-1};
    std::optional<ProbeSet> set_;
    stacks::Unwinder unwinder_;
    std::optional<EventPrinter> printer_;
};

using Lines = std::vector<std::string>;

TEST_F(EventPrinterOf, ShowsBccsColumns)
{
    probe(show + " \"<%s> %ld\", arg1, arg2");
    printer_->header();
    ASSERT_TRUE(print(record().text(0, "fest").integer(1, uint64_t(-4))));
    EXPECT_EQ(lines(), (Lines{"PID     TID     COMM            FUNC             -",
                              "999999999 182     octi            show             <fest> -4"}));
}

TEST_F(EventPrinterOf, HasAllOfAnEventInJson)
{
    options_.json = true;
    probe(show + " \"<%s> %ld\", arg1, arg2");
    ASSERT_TRUE(print(record().text(0, "fest").integer(1, 4)));
    auto row = nlohmann::json::parse(taken());
    uint64_t now_ns = time(nullptr) * 1'000'000'000ull;
    timespec since_boot;
    clock_gettime(CLOCK_MONOTONIC, &since_boot);
    EXPECT_NEAR(row["time_ns"].get<double>(), now_ns - (since_boot.tv_sec - 5) * 1e9, 2e9);
    row.erase("time_ns");
    EXPECT_EQ(row, nlohmann::json::parse(R"({"cpu": 3, "pid": 999999999, "tid": 182, "comm": "octi",
        "func": "show", "message": "<fest> 4", "args": ["fest", 4]})"));
}

TEST_F(EventPrinterOf, ShowsAllParametersWithoutAFormat)
{
    probe(show);
    ASSERT_TRUE(print(record().text(0, "fest").integer(1, 4)));
    EXPECT_TRUE(lines().at(0).ends_with("text=\"fest\", length=4")) << lines().at(0);
}

TEST_F(EventPrinterOf, HasTheParametersInJson)
{
    options_.json = true;
    probe(show);
    ASSERT_TRUE(print(record().text(0, "fest").integer(1, 4)));
    auto row = nlohmann::json::parse(taken());
    EXPECT_EQ(row["values"], nlohmann::json::parse(R"({"text": "fest", "length": 4})"));
    EXPECT_FALSE(row.contains("args"));
}

TEST_F(EventPrinterOf, ShowsNothingIfTheFormatIsEmpty)
{
    options_.json = true;
    probe(show + " \"\"");
    ASSERT_TRUE(print(record()));
    auto row = nlohmann::json::parse(taken());
    EXPECT_EQ(row["message"], "");
    EXPECT_FALSE(row.contains("values"));
    EXPECT_FALSE(row.contains("user_stack"));
}

TEST_F(EventPrinterOf, SaysWhatCouldNotBeRead)
{
    probe(show + " \"<%s> %ld\", arg1, arg2");
    ASSERT_TRUE(print(record().unreadable(0).integer(1, 4)));
    std::string line = lines().at(0);
    EXPECT_EQ(line.find("<>"), line.npos) << line;
    EXPECT_TRUE(line.ends_with("> 4")) << line;
}

TEST_F(EventPrinterOf, IsSafeForATerminal)
{
    probe(show + " \"%s\", arg1");
    Record event = record();
    memcpy(event.header().comm, "0123456789abc\x1b[m", 16);  // without a terminator
    ASSERT_TRUE(print(event.text(0, "\x1b]0;gone\a\nnext")));
    std::string text = taken();
    EXPECT_EQ(text.find('\x1b'), text.npos) << text;
    EXPECT_EQ(text.find('\a'), text.npos) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
}

TEST_F(EventPrinterOf, TakesOnlyWhatTheFiltersWant)
{
    options_.name_filters = {"oct"};
    options_.message_filters = {"es"};
    probe(show + " \"%s\", arg1");
    EXPECT_FALSE(print(record().text(0, "elsewhere")));
    Record other = record();
    strcpy(other.header().comm, "bash");
    EXPECT_FALSE(print(other.text(0, "fest")));
    EXPECT_EQ(taken(), "");
    EXPECT_TRUE(print(record().text(0, "fest")));
    EXPECT_EQ(lines().size(), 1u);
}

TEST_F(EventPrinterOf, NamesTheSite)
{
    probe("p:" + tests::target("values") + ":s* \"\"");
    Record event = record();
    event.header().site = 2;
    ASSERT_TRUE(print(event));
    EXPECT_TRUE(lines().at(0).ends_with(" " + set_->programs()[0]->site_names.at(1)));
}

TEST_F(EventPrinterOf, BelievesNoBrokenRecord)
{
    probe(show + " \"<%s>\", arg1");
    Record event = record().text(0, "fest");
    for (size_t length : {size_t(0), sizeof(event_header) - 1})
        EXPECT_FALSE(printer_->print(*event.bytes().slice(0, length)));
    event.header().probe = 1;
    EXPECT_FALSE(print(event));
    event.header().probe = 0;
    event.header().layout = 99;
    EXPECT_TRUE(print(event));  // everything but the message can be shown
    EXPECT_TRUE(lines().at(0).ends_with(" show"));
    event.header().layout = 0;
    EXPECT_TRUE(printer_->print(*event.bytes().slice(0, sizeof(event_header))));
    EXPECT_EQ(taken().find("fest"), std::string::npos);
}

struct StacksOf : EventPrinterOf {
    // Prints an event with this stack; returns the lines that show the stack.
    Lines stack(unwind::UserStack stack)
    {
        options_.user_stack = options_.addresses = true;
        probe(show);
        Record event = record();
        event.header().user_stack = UNWIND_MISSED | 1;
        unwinder_.add(UNWIND_MISSED | 1, std::move(stack));
        EXPECT_TRUE(print(event));
        Lines shown;
        for (const std::string &line : lines()) {
            if (line.starts_with("        "))
                shown.emplace_back(trim(line));
        }
        return shown;
    }
};

TEST_F(StacksOf, AreWholeOrSayWhyNot)
{
    EXPECT_EQ(stack({{0x1000, 0x3000}, UNWIND_WHOLE}), (Lines{"1000 [unknown]", "3000 [unknown]"}));
    EXPECT_EQ(stack({{0x1000}, UNWIND_DEEP}),
              (Lines{"1000 [unknown]", "[cut: deeper than 127 frames]"}));
}

TEST_F(EventPrinterOf, SaysWhyThereIsNoStack)
{
    options_.user_stack = true;
    probe(show);
    Record event = record();
    ASSERT_TRUE(print(event));
    EXPECT_EQ(lines().at(1), "        [no stack]");
    event.header().user_stack = UNWIND_LOST;
    ASSERT_TRUE(print(event));
    EXPECT_EQ(lines().at(1), "        [not walked: too many at once]");

    options_.json = true;
    printer_.emplace(writer_, options_, *set_, unwinder_);
    ASSERT_TRUE(print(event));
    auto row = nlohmann::json::parse(taken());
    EXPECT_EQ(row["user_stack"], nlohmann::json({"[not walked: too many at once]"}));
    EXPECT_FALSE(row.contains("kernel_stack"));
}

TEST_F(EventPrinterOf, ShowsTheTimeAsItIsWanted)
{
    options_.time_since_start = options_.unix_time = true;
    probe(show);
    printer_->header();
    ASSERT_TRUE(print(record()));
    Lines shown = lines();
    EXPECT_TRUE(shown.at(0).starts_with("TIME "));
    std::string time = shown.at(1).substr(0, 17);
    EXPECT_EQ(time.find('.'), 10u) << time;

    options_ = {};
    options_.wall_time = true;
    printer_.emplace(writer_, options_, *set_, unwinder_);
    ASSERT_TRUE(print(record()));
    std::string wall = lines().at(0).substr(0, 15);
    EXPECT_EQ(wall[2], ':');
    EXPECT_EQ(wall[5], ':');
    EXPECT_EQ(wall[8], '.');
}

}  // namespace
}  // namespace uscope::probe
