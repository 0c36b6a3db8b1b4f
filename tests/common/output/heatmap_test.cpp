#include "output/heatmap.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "support/histogram_of.h"

using namespace uscope::output;

namespace {

using Unit = Heatmap::Unit;

std::string line(Heatmap &map, const Histogram &interval)
{
    std::string out;
    map.add(out, "17:05:59", interval);
    return out;
}

// 24 columns have space for the time and two decades of seven cells.
constexpr size_t narrow = 24;

}  // namespace

TEST(Heatmap, PrintsTheScalesOnceAndALineForEachInterval)
{
    Heatmap map(narrow, Unit::Usecs, Colours::None);
    Histogram interval = histogram_of({1, 10, 10, 10, 10, 10});
    EXPECT_EQ(line(map, interval),
              "count    1 .:-=+*#%@ 10\n"
              "         1us    10us\n"
              "17:05:59 .      #\n");
    EXPECT_EQ(line(map, interval), "17:05:59 .      #\n");
}

TEST(Heatmap, ACellIsHotterTheMoreValuesItHas)
{
    Heatmap map(narrow, Unit::None, Colours::None);
    Histogram interval = histogram_of({1}, 1000);
    interval.merge(histogram_of({2}, 100));
    interval.merge(histogram_of({4}, 10));
    interval.merge(histogram_of({9}, 1));
    EXPECT_EQ(line(map, interval),
              "count    1 .:-=+*#%@ 1k\n"
              "         1\n"
              "17:05:59 @   #    =    .\n");
}

TEST(Heatmap, GrowsToNewDecadesAndPrintsTheScalesAgain)
{
    Heatmap map(narrow, Unit::Nsecs, Colours::None);
    EXPECT_EQ(line(map, histogram_of({100})),
              "count    1 .:-=+*#%@ 10\n"
              "         100ns\n"
              "17:05:59 .\n");
    EXPECT_EQ(line(map, histogram_of({100, 1000})),
              "count    1 .:-=+*#%@ 10\n"
              "         100ns  1us\n"
              "17:05:59 .      .\n");
    EXPECT_EQ(line(map, histogram_of({10})),
              "count    1 .:-=+*#%@ 10\n"
              "         10ns 100ns\n"  // no label 1us, because it would touch the previous one
              "17:05:59 .\n");
}

TEST(Heatmap, PrintsTheScalesAgainWhenACellIsHotterThanAnyBefore)
{
    Heatmap map(narrow, Unit::None, Colours::None);
    EXPECT_EQ(line(map, histogram_of({1}, 10)),
              "count    1 .:-=+*#%@ 10\n"
              "         1\n"
              "17:05:59 @\n");
    EXPECT_EQ(line(map, histogram_of({1}, 11)),
              "count    1 .:-=+*#%@ 100\n"
              "         1\n"
              "17:05:59 +\n");
}

TEST(Heatmap, PrintsALineForAnEmptyInterval)
{
    Heatmap map(narrow, Unit::Usecs, Colours::None);
    EXPECT_EQ(line(map, Histogram()), "17:05:59\n");
}

TEST(Heatmap, ZeroIsInTheCellOfOneAndTheLargestValueInTheLastDecade)
{
    Heatmap map(200, Unit::None, Colours::None);
    std::string lines = line(map, histogram_of({0, UINT64_MAX}));
    EXPECT_NE(lines.find("\n         1        10       100      1k "), std::string::npos);
    EXPECT_NE(lines.find(" 10E\n17:05:59 ."), std::string::npos);
    EXPECT_EQ(lines.substr(lines.rfind('\n', lines.size() - 2) + 1).size(),
              9 + 19 * 9 + 2 + 2u);  // 1.8 * 10^19 is in the third cell of its decade
}

TEST(Heatmap, LinesFitTheWidthAndLabelsThatDoNotAreLeftOut)
{
    Heatmap map(30, Unit::Nsecs, Colours::None);
    std::string out;
    map.add(out, "17:05:59", histogram_of({1, 9'999'999}));
    EXPECT_EQ(out,
              "count    1 .:-=+*#%@ 10\n"
              "         1ns   100ns 10us  1ms\n"
              "17:05:59 .                   .\n");
}

TEST(Heatmap, ALabelBeyondTheWidthIsLeftOut)
{
    Heatmap map(17, Unit::Nsecs, Colours::None);
    EXPECT_NE(line(map, histogram_of({1, 100})).find("\n         1ns\n"), std::string::npos);
}

TEST(Heatmap, UnitsGoOnToSeconds)
{
    Heatmap map(100, Unit::Msecs, Colours::None);
    EXPECT_NE(line(map, histogram_of({1, 10'000})).find("1ms"), std::string::npos);
    EXPECT_NE(line(map, histogram_of({1, 100'000})).find("100s"), std::string::npos);
}

TEST(Heatmap, ColoursABackgroundAndResetsIt)
{
    Heatmap map(narrow, Unit::Usecs, Colours::Palette256);
    std::string first = line(map, histogram_of({1, 10}));
    EXPECT_TRUE(first.starts_with("count    1 \033[48;5;53m \033[48;5;89m "));
    EXPECT_TRUE(first.ends_with("\n17:05:59 \033[48;5;53m \033[0m      \033[48;5;53m \033[0m\n"));
}

TEST(Heatmap, TrueColoursAreARamp)
{
    Heatmap map(narrow, Unit::Usecs, Colours::True);
    line(map, histogram_of({1}, 10));
    EXPECT_EQ(line(map, histogram_of({1})), "17:05:59 \033[48;2;50;10;80m \033[0m\n");
    EXPECT_EQ(line(map, histogram_of({1}, 10)), "17:05:59 \033[48;2;252;250;160m \033[0m\n");
}

TEST(TerminalColours, AreWhatTheEnvironmentSays)
{
    EXPECT_EQ(terminal_colours("xterm-256color", nullptr), Colours::Palette256);
    EXPECT_EQ(terminal_colours("xterm-256color", "truecolor"), Colours::True);
    EXPECT_EQ(terminal_colours("xterm", "24bit"), Colours::True);
    EXPECT_EQ(terminal_colours("vt100", nullptr), Colours::None);
    EXPECT_EQ(terminal_colours(nullptr, nullptr), Colours::None);
    EXPECT_TRUE(takes_colours(true, "xterm-256color", nullptr));
    EXPECT_TRUE(takes_colours(true, nullptr, ""));
    EXPECT_FALSE(takes_colours(true, "xterm-256color", "1"));
    EXPECT_FALSE(takes_colours(false, "xterm-256color", nullptr));
    EXPECT_FALSE(takes_colours(true, "dumb", nullptr));
}
