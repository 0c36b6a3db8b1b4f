#include "output/flame_graph.h"
#include "base/format.h"

#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

using namespace uscope::output;

namespace {

std::string folded_line(const StackCount &stack)
{
    std::string out;
    append_folded(out, stack);
    return out;
}

std::string svg(const std::vector<StackCount> &stacks, std::string_view title = "t")
{
    std::string out;
    append_flame_graph(out, title, "calls", stacks);
    return out;
}

// Returns the lines of the SVG file that draw boxes.
std::string boxes(const std::vector<StackCount> &stacks)
{
    std::string file = svg(stacks);
    size_t start = file.find('\n', file.find("<g id=\"frames\"")) + 1;
    return file.substr(start, file.find("</g>\n<script>") - start);
}

size_t count(std::string_view text, std::string_view part)
{
    size_t count = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
        count++;
    return count;
}

// Returns the titles of the boxes, in the order of the file.
std::vector<std::string> titles(const std::vector<StackCount> &stacks)
{
    std::string text = boxes(stacks);
    std::vector<std::string> titles;
    for (size_t at = text.find("<title>"); at != text.npos; at = text.find("<title>", at + 1))
        titles.push_back(text.substr(at + 7, text.find("</title>", at) - at - 7));
    return titles;
}

using Titles = std::vector<std::string>;

TEST(FoldedStacks, AreReadAsTheyWereWritten)
{
    auto stacks = parse_folded("shop;main;a function() 3\n\nshop;write_[k] 12\n");
    ASSERT_TRUE(stacks);
    ASSERT_EQ(stacks->size(), 2u);
    EXPECT_EQ((*stacks)[0].frames, (std::vector<std::string>{"shop", "main", "a function()"}));
    EXPECT_EQ((*stacks)[0].count, 3u);
    EXPECT_EQ((*stacks)[0].kernel_frames, 0u);
    EXPECT_EQ((*stacks)[1].kernel_frames, 1u);
    std::string out;
    append_folded(out, (*stacks)[0]);
    EXPECT_EQ(out, "shop;main;a function() 3\n");
    EXPECT_EQ(parse_folded("shop;main 3\n\nshop;main\n").error().text,
              "line 3 of the folded stacks does not end with a count: shop;main");
}

// In a comparison of two runs: a stack whose second count is 0 has no box, but its first count is
// part of the counts of its callers.
TEST(FlameGraph, CountsWhatIsGoneInItsCallers)
{
    std::string svg;
    append_flame_graph(svg, "CPU", "samples",
                       {{.frames = {"shop", "sell", "old"}, .count = 0, .before = 22},
                        {.frames = {"shop", "sell", "same"}, .count = 40, .before = 43},
                        {.frames = {"shop", "sell"}, .count = 50, .before = 30},
                        {.frames = {"gone"}, .count = 0, .before = 5},
                        {.frames = {"shop"}, .count = 5, .before = 0}},
                       Palette::Change);
    EXPECT_NE(svg.find("all (95 samples, 100 before, 100.00%)"), std::string::npos) << svg;
    EXPECT_NE(svg.find("shop (95 samples, 95 before, 100.00%)"), std::string::npos);
    EXPECT_NE(svg.find("sell (90 samples, 95 before, 94.74%)"), std::string::npos);
    EXPECT_EQ(svg.find("old ("), std::string::npos);
    EXPECT_EQ(svg.find("gone ("), std::string::npos);
}

TEST(FlameGraph, ShowsChangesByColour)
{
    std::string out;
    append_flame_graph(out, "CPU", "samples",
                       {{.frames = {"shop", "new"}, .count = 10, .before = 0},
                        {.frames = {"shop", "same"}, .count = 10, .before = 10},
                        {.frames = {"shop", "less"}, .count = 10, .before = 20}},
                       Palette::Change);
    std::string svg = out;
    EXPECT_NE(svg.find("new (10 samples, 0 before, 33.33%)"), std::string::npos);
    EXPECT_NE(svg.find("less (10 samples, 20 before, 33.33%)"), std::string::npos);
    EXPECT_NE(svg.find("#e44038"), std::string::npos);
    EXPECT_NE(svg.find("#ffffff"), std::string::npos);
    EXPECT_NE(svg.find("#a0b8f2"), std::string::npos);
}

}  // namespace

TEST(Folded, IsALineRootFirst)
{
    EXPECT_EQ(folded_line({{"bash", "main", "read", "vfs_read"}, 42, 1}),
              "bash;main;read;vfs_read 42\n");
}

TEST(Folded, NamesCannotForgeFramesOrLines)
{
    EXPECT_EQ(folded_line({{"a;b", "LT;.f(\n)"}, 1}), "a:b;LT:.f(\\n) 1\n");
}

TEST(Folded, AThreadMayHaveNoName)
{
    EXPECT_EQ(folded_line({{"", "main"}, 1}), "[no name];main 1\n");
}

TEST(FlameGraph, DrawsABoxForEachFrame)
{
    EXPECT_EQ(
        boxes({{{"main"}, 3}, {{"main", "vfs_read"}, 1, 1}}),
        R"(<g data-at="3" data-count="1" data-depth="2"><title>vfs_read (1 calls, 25.00%)</title>)"
        R"(<rect x="895.00" y="46" width="294.50" height="16" fill="#90c3eb"/>)"
        R"(<text x="898.00" y="58">vfs_read</text></g>)"
        "\n"
        R"(<g data-at="0" data-count="4" data-depth="1"><title>main (4 calls, 100.00%)</title>)"
        R"(<rect x="10.00" y="63" width="1179.50" height="16" fill="#f4ad57"/>)"
        R"(<text x="13.00" y="75">main</text></g>)"
        "\n"
        R"(<g data-at="0" data-count="4" data-depth="0"><title>all (4 calls, 100.00%)</title>)"
        R"(<rect x="10.00" y="80" width="1179.50" height="16" fill="#dcdcdc"/>)"
        R"(<text x="13.00" y="92">all</text></g>)"
        "\n");
}

TEST(FlameGraph, MergesWhatBeginsAlike)
{
    EXPECT_EQ(
        titles({{{"a", "b", "c"}, 1}, {{"x", "b"}, 2}, {{"a", "b"}, 3}, {{"a", "d", "c"}, 4}}),
        (Titles{"c (1 calls, 10.00%)", "b (4 calls, 40.00%)", "c (4 calls, 40.00%)",
                "d (4 calls, 40.00%)", "a (8 calls, 80.00%)", "b (2 calls, 20.00%)",
                "x (2 calls, 20.00%)", "all (10 calls, 100.00%)"}));
}

TEST(FlameGraph, AKernelsFunctionIsNotAUsersOfTheSameName)
{
    EXPECT_EQ(
        titles({{{"read"}, 1, 1}, {{"read"}, 1}}),
        (Titles{"read (1 calls, 50.00%)", "read (1 calls, 50.00%)", "all (2 calls, 100.00%)"}));
}

TEST(FlameGraph, StacksWithoutCountsAreNotThere)
{
    EXPECT_EQ(titles({{{"a"}, 0}, {{"b"}, 1}}),
              (Titles{"b (1 calls, 100.00%)", "all (1 calls, 100.00%)"}));
    EXPECT_EQ(titles({}), Titles{});
    EXPECT_NE(svg({}).find(">0 calls</text>"), std::string::npos);
}

TEST(FlameGraph, LeavesOutWhatIsTooNarrowAndSaysSo)
{
    std::vector<StackCount> stacks = {{{"wide"}, 1'000'000}, {{"thin", "thinner"}, 50}};
    EXPECT_EQ(titles(stacks),
              (Titles{"wide (1000000 calls, 100.00%)", "all (1000050 calls, 100.00%)"}));
    EXPECT_NE(
        svg(stacks).find(">1000050 calls; 2 frames narrower than 0.1 pixels are left out</text>"),
        std::string::npos);
    EXPECT_EQ(svg({{{"wide"}, 1}}).find("left out"), std::string::npos);
}

TEST(FlameGraph, NamesAreTextAndNothingElse)
{
    std::string text =
        boxes({{{"f<\"&'>", "\033]0;\a\xff", "\xef\xbf\xbe\xef\xbf\xbf", "\xc3\xa9"}, 1}});
    EXPECT_EQ(count(text, "f&lt;&quot;&amp;&#39;&gt;"), 2u);
    EXPECT_EQ(count(text, "\\x1b]0:\\x07\\xff"), 0u);
    EXPECT_EQ(count(text, "\\x1b]0;\\x07\\xff"), 2u);
    EXPECT_EQ(count(text, "\\ufffe\\uffff"), 2u);
    EXPECT_EQ(count(text, "\xc3\xa9"), 2u);
}

TEST(FlameGraph, TheTitleIsTextToo)
{
    EXPECT_EQ(count(svg({}, "</title><script>"), "&lt;/title&gt;&lt;script&gt;"), 2u);
    EXPECT_EQ(count(svg({}, "</title><script>"), "<script>"), 1u);
}

TEST(FlameGraph, CutsTextToItsBox)
{
    std::string text = boxes({{{"a_function_name_of_some_length"}, 1}, {{"z"}, 9}});
    EXPECT_NE(text.find(">a_function_na..</text>"), std::string::npos);
    text = boxes({{{"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"}, 1}, {{"z"}, 32}});
    EXPECT_NE(text.find(">\xc3\xa9\xc3\xa9..</text>"), std::string::npos);
    text = boxes({{{"abcdef"}, 1}, {{"z"}, 99}});
    EXPECT_EQ(text.find(">abc"), text.find(">abcdef ("));
}

TEST(FlameGraph, IsSelfContained)
{
    std::string file = svg({{{"a"}, 1}});
    EXPECT_EQ(count(file, "://"), 2u);  // only SVG's namespace, twice
    EXPECT_EQ(count(file, "http://www.w3.org/2000/svg"), 2u);
    EXPECT_EQ(count(file, "href"), 0u);
}

TEST(FlameGraph, HoldsTenThousandStacks)
{
    std::vector<StackCount> stacks;
    for (int i = 0; i < 10'000; i++) {
        StackCount stack = {{"comm"}, 1 + i % 7u};
        for (int depth = 0; depth < 30; depth++)
            stack.frames.push_back(fmt::format("function_{}_{}", depth, i >> (30 - depth)));
        stacks.push_back(std::move(stack));
    }
    std::string file = svg(stacks);
    EXPECT_LT(file.size(), 16u << 20);
    EXPECT_GT(count(file, "<rect "), 2000u);
}

TEST(FlameGraph, HasABoxForEachFrame)
{
    std::string file = svg({{{"server", "main", "std::map<int, char>::find(int const&)"}, 30},
                            {{"server", "main", "read", "ksys_read"}, 50, 1},
                            {{"server", "main", "read"}, 10},
                            {{"client", "main", "write \"\xff\033\""}, 10}},
                           "An <example> & more");
    EXPECT_EQ(count(file, "<rect "), 9u + 1);
}
