#include "symbols/merge_interpreted.h"

#include <gtest/gtest.h>

namespace uscope::symbols {
using unwind::UserStack;

namespace {

// Returns C frames: a letter for each, the leaf first; L is the interpreter's loop, J is JIT code.
std::vector<FrameAt> c_frames(std::string_view letters)
{
    std::vector<FrameAt> frames;
    for (char letter : letters) {
        FrameAt frame;
        frame.function = std::string(1, letter);
        frame.known = true;
        frame.is_loop = letter == 'L';
        frame.module = letter == 'J' ? "" : "program";
        frames.push_back(frame);
    }
    return frames;
}

// Returns a stack with interpreted frames: a letter for each, a blank after the last one that an
// execution of the interpreter's loop runs, and | where the C stack of these frames ends.
UserStack stack_of(std::string_view letters)
{
    UserStack stack;
    for (char letter : letters) {
        if (letter == ' ')
            stack.interpreted.back().ends = true;
        else if (letter == '|')
            stack.interpreted.push_back({.is_stack_end = true});
        else
            stack.interpreted.push_back({.function = std::string(1, letter), .source = "a.py:1"});
    }
    return stack;
}

std::string shown(std::string_view c, const UserStack &stack)
{
    std::string text;
    for (const FrameAt &frame : merge_interpreted(c_frames(c), stack))
        text += frame.function;
    return text;
}

TEST(MergeInterpreted, RunsTakeThePlaceOfLoops)
{
    EXPECT_EQ(shown("xLyLz", stack_of("ba c ")), "xbaycz");
    EXPECT_EQ(shown("xyz", {}), "xyz");
    EXPECT_EQ(shown("xLz", {}), "xLz");
}

TEST(MergeInterpreted, ALoopThatHasJustBegunIsShownItself)
{
    EXPECT_EQ(shown("LyLz", stack_of("ba ")), "Lybaz");
}

TEST(MergeInterpreted, ARunWhoseLoopHasJustEndedIsLeftOut)
{
    EXPECT_EQ(shown("xLz", stack_of("c ba ")), "xbaz");
}

TEST(MergeInterpreted, WhatHasCalledABlockThatHasNotBegunIsAtNoLine)
{
    UserStack stack = stack_of("c ba ");
    EXPECT_EQ(merge_interpreted(c_frames("xLz"), stack)[1].source, "a.py:1");
    stack.interpreted[0].is_block = true;
    auto frames = merge_interpreted(c_frames("xLz"), stack);
    EXPECT_EQ(frames[1].source, "a.py");
    EXPECT_EQ(frames[2].source, "a.py:1");
    EXPECT_EQ(merge_interpreted(c_frames("LxLz"), stack)[2].source, "a.py:1");
}

TEST(MergeInterpreted, RunsTakeThePlaceOfCompiledCodeWhereLoopsAreMissing)
{
    EXPECT_EQ(shown("xJJyLz", stack_of("ba c ")), "xbaJycz");
    EXPECT_EQ(shown("xLyJz", stack_of("ba c ")), "xbaycz");
    EXPECT_EQ(shown("xJyLz", stack_of("c ")), "xJycz");
    EXPECT_EQ(shown("xJyLz", stack_of("d ba c ")), "xbaycz");
}

TEST(MergeInterpreted, WithoutTheirRootTheyArePairedFromTheLeaf)
{
    UserStack stack = stack_of("c ba ");
    stack.end = UNWIND_UNREADABLE;
    EXPECT_EQ(shown("xLyL", stack), "xcyba");
    EXPECT_EQ(shown("xLy", stack), "xcyba");

    stack = stack_of("c ba");
    stack.interpreted_end = UNWIND_DEEP;
    EXPECT_EQ(shown("xLyLwLz", stack), "xcyba[cut: deeper than 112 frames]wLz");
}

TEST(MergeInterpreted, WhatHasAnotherStackComesLast)
{
    EXPECT_EQ(shown("xLz", stack_of("ba |cd e ")), "xbazcde");
    EXPECT_EQ(shown("xz", stack_of("ba |c ")), "xzc");
    EXPECT_EQ(shown("LxLz", stack_of("ba |c |d ")), "Lxbazcd");
    UserStack stack = stack_of("ba |c ");
    stack.end = UNWIND_NO_TABLE;
    EXPECT_EQ(shown("xLz", stack), "xbazc");
}

TEST(MergeInterpreted, FunctionsInCThatNoLoopHasCalledComeLast)
{
    EXPECT_EQ(shown("xLyz", stack_of("ba cd")), "xbayzcd");
    EXPECT_EQ(shown("LxLyz", stack_of("ba cd")), "Lxbayzcd");
    EXPECT_EQ(shown("xyz", stack_of("c")), "xyzc");
}

TEST(MergeInterpreted, ALoopThatCallsItselfForTheSameIsOne)
{
    auto shown_of = [](std::string_view letters, const UserStack &stack) {
        std::vector<FrameAt> frames = c_frames(letters);
        for (FrameAt &frame : frames) {
            if (frame.is_loop)
                frame.reenters_by = "r";
            frame.known = frame.function != "u";
            frame.module = frame.function == "m" ? "library" : "program";
        }
        std::string text;
        for (const FrameAt &frame : merge_interpreted(std::move(frames), stack))
            text += frame.function;
        return text;
    };
    EXPECT_EQ(shown_of("xLrLyLz", stack_of("ba c ")), "xbaycz");
    EXPECT_EQ(shown_of("xLuLyLz", stack_of("ba c ")), "xbaycz");
    EXPECT_EQ(shown_of("xLuLrpLz", stack_of("cba ")), "xcbaz");
    EXPECT_EQ(shown_of("xLupqLz", stack_of("ba c ")), "xbaupqcz");
    EXPECT_EQ(shown_of("xLymLz", stack_of("ba c ")), "xbaymcz");
    EXPECT_EQ(shown_of("xLumLz", stack_of("ba c ")), "xbaumcz");
    EXPECT_EQ(shown_of("xLyLz", stack_of("ba c ")), "xbaycz");
    EXPECT_EQ(shown_of("xL", stack_of("ba ")), "xba");
}

TEST(MergeInterpreted, NamesHaveTheirSourceAndNoOffset)
{
    auto frames = merge_interpreted(c_frames("L"), stack_of("a "));
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(describe(frames[0]), "a (a.py:1)");

    UserStack late = stack_of("a ");
    late.interpreted[0].function.clear();
    late.interpreted[0].source.clear();
    EXPECT_EQ(describe(merge_interpreted(c_frames("L"), late)[0]), "[too late to read its name]");
}

}  // namespace
}  // namespace uscope::symbols
