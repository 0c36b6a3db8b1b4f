#include "output/stacks.h"

#include "output/process_columns.h"

#include <gtest/gtest.h>

namespace uscope::output {
namespace {

NamedStack example()
{
    NamedStack stack;
    stack.pid = 7;
    stack.comm = "shop";
    stack.kernel = {"ksys_write", "do_syscall_64"};
    stack.user = {"write", "main"};
    return stack;
}

using Names = std::vector<std::string>;
Names names_of(const StackCount &stack)
{
    Names names;
    for (const Frame &frame : stack.frames)
        names.push_back(frame.name);
    return names;
}

std::string text(const NamedStack &stack, bool delimiter)
{
    std::string out;
    append_text(out, stack, "3", delimiter);
    return out;
}

TEST(Stacks, AreALineAFrameAndTheCount)
{
    NamedStack stack = example();
    EXPECT_EQ(text(stack, false),
              "  ksys_write\n  do_syscall_64\n  write\n  main\n    shop [7]\n    3\n\n");
    stack.pid = 0;
    stack.kernel.clear();
    EXPECT_EQ(text(stack, false), "  write\n  main\n    shop [0]\n    3\n\n");  // as for swapper
    stack.comm = "";
    EXPECT_EQ(text(stack, false), "  write\n  main\n    3\n\n");
}

TEST(Stacks, HaveADelimiterOnlyBetweenTwo)
{
    NamedStack stack = example();
    EXPECT_NE(text(stack, true).find("  do_syscall_64\n    --\n  write\n"), std::string::npos);
    stack.user.clear();
    EXPECT_EQ(text(stack, true).find("--"), std::string::npos);
    EXPECT_EQ(names_of(folded(stack, 1, true)), (Names{"shop-7", "do_syscall_64", "ksys_write"}));
}

TEST(Stacks, SayThatTheyAreCut)
{
    NamedStack stack = example();
    stack.cut = "no frame pointers";
    EXPECT_NE(text(stack, false).find("  main\n  [cut: no frame pointers]\n    shop"),
              std::string::npos);
    EXPECT_EQ(folded(stack, 1, false).frames[1].name, "[cut]");
}

TEST(Stacks, AreFoldedFromTheRoot)
{
    StackCount result = folded(example(), 3, true);
    EXPECT_EQ(names_of(result),
              (Names{"shop-7", "main", "write", "-", "do_syscall_64", "ksys_write"}));
    EXPECT_EQ(result.count, 3u);
    EXPECT_EQ(result.frames[0].kind, FrameKind::Process);
    EXPECT_EQ(result.frames[1].kind, FrameKind::Native);
    EXPECT_EQ(result.frames[5].kind, FrameKind::Kernel);
}

TEST(Stacks, CannotForgeLines)
{
    NamedStack stack;
    stack.user = {"evil\n    1000000\n\x1b[2J"};
    EXPECT_EQ(text(stack, false), "  evil\\n    1000000\\n\\x1b[2J\n    3\n\n");
}

TEST(Stacks, AreJson)
{
    NamedStack stack = example();
    std::string out;
    append_json(out, stack, 3, {}, 1700, {});
    EXPECT_EQ(out,
              "{\"time_ns\":1700,\"count\":3,\"pid\":7,\"comm\":\"shop\",\"user_stack\":"
              "[\"write\",\"main\"],\"kernel_stack\":[\"ksys_write\",\"do_syscall_64\"],"
              "\"cut\":null}\n");
    out.clear();
    append_json(out, stack, 3, StackSum{__int128{1} << 64, "bytes"}, 1700, {});
    EXPECT_TRUE(out.starts_with(
        R"({"time_ns":1700,"count":3,"sum":18446744073709551616,"sum_unit":"bytes","pid":7,)"))
        << out;
    stack.pid = 0;
    stack.cut = "no frame pointers";
    out.clear();
    append_json(out, stack, 3, {}, 1700, {});
    EXPECT_NE(out.find("\"pid\":null"), std::string::npos);
    EXPECT_NE(out.find("\"cut\":\"no frame pointers\""), std::string::npos);
}

// Code without a symbol can be named later, by its address in a file.
TEST(Stacks, SayWhereUnnamedCodeIs)
{
    auto segment = std::make_shared<const CodeSegment>(
        CodeSegment{"/usr/bin/srv", "2b7e", 0x2000, 0x5000, 0x1000});
    Frame unnamed("srv:+0x349f");
    unnamed.segment = segment;
    unnamed.address = 0x349f;
    NamedStack stack = example();
    EXPECT_EQ(unnamed_frames(stack.user), "");
    stack.user = {unnamed, "main", unnamed};
    std::string expected = R"([{"frame":"srv:+0x349f","path":"/usr/bin/srv","address":13471,)"
                           R"("offset":9375,"build_id":"2b7e"}])";
    EXPECT_EQ(unnamed_frames(stack.user), expected);
    std::string out;
    append_json(out, stack, 3, {}, 1700, {});
    EXPECT_NE(out.find("\"cut\":null,\"unnamed\":" + expected + "}"), std::string::npos) << out;
}

// Frames of different files are different, although their names are equal.
TEST(Stacks, DifferByTheFilesOfUnnamedCode)
{
    Frame one("srv:+0x10"), same("srv:+0x10"), other("srv:+0x10");
    one.segment = std::make_shared<const CodeSegment>(CodeSegment{"/a/srv", "", 0, 0x100, 0});
    same.segment = std::make_shared<const CodeSegment>(CodeSegment{"/a/srv", "", 0, 0x100, 0});
    other.segment = std::make_shared<const CodeSegment>(CodeSegment{"/b/srv", "", 0, 0x100, 0});
    EXPECT_EQ(one, same);
    EXPECT_NE(one, other);
}

}  // namespace
}  // namespace uscope::output
