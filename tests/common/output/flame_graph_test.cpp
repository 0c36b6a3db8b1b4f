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

std::string draw(const std::vector<StackCount> &stacks, const FlameGraph &graph)
{
    std::string out;
    append_flame_graph(out, graph, stacks);
    return out;
}
std::string svg(const std::vector<StackCount> &stacks, std::string title = "t")
{
    return draw(stacks, {.title = std::move(title), .unit = "calls"});
}
std::string compared(const std::vector<StackCount> &stacks)
{
    return draw(stacks, {.title = "CPU time", .is_comparison = true});
}

// The frames of a kernel.
Frame kernel(const char *name)
{
    return {name, FrameKind::Kernel};
}

std::vector<std::string> frame_names(const StackCount &stack)
{
    std::vector<std::string> names;
    for (const Frame &frame : stack.frames)
        names.push_back(frame.name);
    return names;
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
    ASSERT_EQ(stacks->stacks.size(), 2u);
    EXPECT_EQ(stacks->unit, "");
    EXPECT_EQ(frame_names(stacks->stacks[0]),
              (std::vector<std::string>{"shop", "main", "a function()"}));
    EXPECT_EQ(stacks->stacks[0].count, 3u);
    std::string out;
    append_folded(out, stacks->stacks[0]);
    EXPECT_EQ(out, "shop;main;a function() 3\n");
    EXPECT_EQ(parse_folded("shop;main 3\n\nshop;main\n").error().text,
              "line 3 of the folded stacks does not end with a count: shop;main");
}

TEST(FoldedStacks, MayNameTheirUnit)
{
    std::string out;
    append_unit(out, "bytes\n");
    EXPECT_EQ(out, "# unit: bytes\\n\n");
    auto folded = parse_folded("# unit: bytes\nshop;main 3\n");
    ASSERT_TRUE(folded);
    EXPECT_EQ(folded->unit, "bytes");
    EXPECT_EQ(folded->stacks.size(), 1u);
    EXPECT_FALSE(parse_folded("# bytes\nshop;main 3\n"));
}

TEST(FoldedStacks, AreMergedIfTheirFramesAreEqual)
{
    auto stacks = merged({{.frames = {"a", "b"}, .count = 3},
                          {.frames = {"a"}, .count = 1},
                          {.frames = {"a", "b"}, .count = 4}});
    ASSERT_EQ(stacks.size(), 2u);
    EXPECT_EQ(stacks[0].count, 7u);
    EXPECT_EQ(stacks[1].count, 1u);
}

TEST(FoldedStacks, HaveKindsThatFollowFromNames)
{
    std::string line =
        "shop;main;app::Shop::sell(int);work (app.py:12);tick (app.js:3);loop (main.c:4);"
        "LJob.run_[j];ksys_write_[k] 1\n";
    std::vector<FrameKind> kinds;
    auto stacks = parse_folded(line);
    ASSERT_TRUE(stacks);
    for (const Frame &frame : stacks->stacks[0].frames)
        kinds.push_back(frame.kind);
    EXPECT_EQ(kinds, (std::vector{FrameKind::Process, FrameKind::Native, FrameKind::Cpp,
                                  FrameKind::Interpreted, FrameKind::Jit, FrameKind::Native,
                                  FrameKind::Jit, FrameKind::Kernel}));
}

// In a comparison, the width of a box is the average of its shares, so that what is gone has a box.
TEST(FlameGraph, ShowsWhatIsGone)
{
    std::string text = compared({{.frames = {"shop", "sell", "old"}, .count = 0, .before = 22},
                                 {.frames = {"shop", "sell", "same"}, .count = 40, .before = 43},
                                 {.frames = {"shop", "sell"}, .count = 50, .before = 30},
                                 {.frames = {"gone"}, .count = 0, .before = 5},
                                 {.frames = {"shop"}, .count = 5, .before = 0}});
    for (const char *title :
         {"all (95 samples, 100.00%; 100 before, 100.00%)",
          "shop (95 samples, 100.00%; 95 before, 95.00%)",
          "sell (90 samples, 94.74%; 95 before, 95.00%)",
          "old (0 samples, 0.00%; 22 before, 22.00%)", "gone (0 samples, 0.00%; 5 before, 5.00%)"})
        EXPECT_NE(text.find(title), std::string::npos) << title;
    EXPECT_NE(text.find(R"(data-count="22" data-depth="3"><title>old)"), std::string::npos) << text;
}

// Small counts differ by chance: only larger differences have a colour.
TEST(FlameGraph, ColoursSignificantChanges)
{
    std::string text = compared({{.frames = {"shop", "new"}, .count = 100, .before = 0},
                                 {.frames = {"shop", "rare"}, .count = 3, .before = 1},
                                 {.frames = {"shop", "like"}, .count = 110, .before = 100},
                                 {.frames = {"shop", "less"}, .count = 50, .before = 100}});
    auto fill = [&](const std::string &name) {
        size_t end = text.find("<title>" + name + " ("), start = text.rfind("<g class=", end);
        size_t opacity = text.find("fill-opacity=", end);
        return text.substr(start + 10, text.find('"', start + 10) - start - 10) + " " +
               text.substr(opacity + 14, 4);
    };
    EXPECT_EQ(fill("new"), "grew 1.00");
    EXPECT_EQ(fill("rare"), "same 1.00");
    EXPECT_EQ(fill("like"), "same 1.00");
    EXPECT_EQ(fill("less"), "shrank 0.62");
    EXPECT_NE(text.find(">grew</text>"), std::string::npos);
    EXPECT_EQ(svg({{{"a"}, 1}}).find(">grew</text>"), std::string::npos);
}

TEST(FlameGraph, HasALegendOfItsColours)
{
    std::string text = svg({{{{"shop", FrameKind::Process}, "main", kernel("read")}, 1}});
    EXPECT_NE(text.find(">kernel</text>"), std::string::npos);
    EXPECT_NE(text.find(">C, Go and others</text>"), std::string::npos);
    EXPECT_EQ(text.find(">JIT</text>"), std::string::npos);
}

// Amounts are shown as people read them.
TEST(FlameGraph, HasUnitsForPeople)
{
    auto note = [](uint64_t count, const char *unit) {
        std::string text = draw({{{"main"}, count}}, {.title = "t", .unit = unit});
        size_t start = text.find('>', text.find("<text id=\"note\"")) + 1;
        return text.substr(start, text.find('<', start) - start);
    };
    EXPECT_EQ(note(1, "samples"), "1 sample");
    EXPECT_EQ(note(1234567, "samples"), "1,234,567 samples");
    EXPECT_EQ(note(6'332'608'675, "nsecs"), "6.33 s");
    EXPECT_EQ(note(608, "usecs"), "608 us");
    EXPECT_EQ(note(850, "msecs"), "850 ms");
    EXPECT_EQ(note(10'010, "bytes"), "10,010 bytes");
    EXPECT_EQ(note(4'246'732, "bytes"), "4.05 MiB");
    EXPECT_EQ(note(999, "nsecs"), "999 ns");
}

TEST(FlameGraph, SaysWhereAndWhen)
{
    std::string text = draw({{{"main"}, 12}}, {.title = "CPU time of shop (181)",
                                               .note = "49 Hz, mill, 2026-11-28 15:16, for 30.0 s",
                                               .hint = "so few samples are imprecise"});
    EXPECT_NE(text.find(">CPU time of shop (181)</text>"), std::string::npos);
    EXPECT_NE(
        text.find(">12 samples; 49 Hz, mill, 2026-11-28 15:16, for 30.0 s; so few samples are "
                  "imprecise</text>"),
        std::string::npos);
}

}  // namespace

TEST(Folded, IsALineRootFirst)
{
    EXPECT_EQ(folded_line({{"bash", "main", "read", "vfs_read"}, 42}),
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
        boxes({{{"main"}, 3}, {{"main", kernel("vfs_read")}, 1}}),
        R"(<g class="kernel" data-at="3" data-count="1" data-depth="2"><title>vfs_read (1 call, 25.00%)</title>)"
        R"(<rect x="895.00" y="68" width="294.50" height="16" fill-opacity="0.91"/>)"
        R"(<text x="898.00" y="80">vfs_read</text></g>)"
        "\n"
        R"(<g class="native" data-at="0" data-count="4" data-depth="1"><title>main (4 calls, 100.00%)</title>)"
        R"(<rect x="10.00" y="85" width="1179.50" height="16" fill-opacity="0.87"/>)"
        R"(<text x="13.00" y="97">main</text></g>)"
        "\n"
        R"(<g class="process" data-at="0" data-count="4" data-depth="0"><title>all (4 calls, 100.00%)</title>)"
        R"(<rect x="10.00" y="102" width="1179.50" height="16" fill-opacity="0.74"/>)"
        R"(<text x="13.00" y="114">all</text></g>)"
        "\n");
}

TEST(FlameGraph, MergesWhatBeginsAlike)
{
    EXPECT_EQ(
        titles({{{"a", "b", "c"}, 1}, {{"x", "b"}, 2}, {{"a", "b"}, 3}, {{"a", "d", "c"}, 4}}),
        (Titles{"c (1 call, 10.00%)", "b (4 calls, 40.00%)", "c (4 calls, 40.00%)",
                "d (4 calls, 40.00%)", "a (8 calls, 80.00%)", "b (2 calls, 20.00%)",
                "x (2 calls, 20.00%)", "all (10 calls, 100.00%)"}));
}

TEST(FlameGraph, AKernelsFunctionIsNotAUsersOfTheSameName)
{
    EXPECT_EQ(titles({{{kernel("read")}, 1}, {{"read"}, 1}}),
              (Titles{"read (1 call, 50.00%)", "read (1 call, 50.00%)", "all (2 calls, 100.00%)"}));
}

TEST(FlameGraph, StacksWithoutCountsAreNotThere)
{
    EXPECT_EQ(titles({{{"a"}, 0}, {{"b"}, 1}}),
              (Titles{"b (1 call, 100.00%)", "all (1 call, 100.00%)"}));
    EXPECT_EQ(titles({}), Titles{});
    EXPECT_NE(svg({}).find(">0 calls</text>"), std::string::npos);
}

TEST(FlameGraph, LeavesOutWhatIsTooNarrowAndSaysSo)
{
    std::vector<StackCount> stacks = {{{"wide"}, 1'000'000}, {{"thin", "thinner"}, 50}};
    EXPECT_EQ(titles(stacks),
              (Titles{"wide (1,000,000 calls, 100.00%)", "all (1,000,050 calls, 100.00%)"}));
    EXPECT_NE(
        svg(stacks).find(">1,000,050 calls; 2 frames narrower than 0.1 pixels are left out</text>"),
        std::string::npos);
    stacks[1].frames = {"thin"};
    EXPECT_NE(
        svg(stacks).find(">1,000,050 calls; 1 frame narrower than 0.1 pixels is left out</text>"),
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
                            {{"server", "main", "read", kernel("ksys_read")}, 50},
                            {{"server", "main", "read"}, 10},
                            {{"client", "main", "write \"\xff\033\""}, 10}},
                           "An <example> & more");
    EXPECT_EQ(count(file, "<rect "), 9u + 1 + 2);  // background and legend
}
