#include "dwarf/lines.h"

#include <gtest/gtest.h>

#include "base/format.h"
#include "elf/image.h"
#include "insn/decode.h"
#include "support/files.h"

using namespace uscope;

namespace {

// For each call instruction in a function, returns "function file:line" of all frames there, the
// innermost (inlined) first.
std::vector<std::string> calls_in(const std::string &path, std::string_view function)
{
    std::vector<std::string> result;
    auto image = elf::Image::open(path);
    EXPECT_TRUE(image);
    auto lines = dwarf::Lines::open(*image, path);
    EXPECT_TRUE(lines && *lines) << path;
    auto found = elf::find_functions(*image, function);
    EXPECT_TRUE(found && !found->empty());
    Bytes code = image->bytes_at(found->front().vaddr, found->front().size).value_or(Bytes());
    for (size_t at = 0; auto instruction = insn::decode(code.from(at)); at += instruction->length) {
        if (instruction->kind != insn::Kind::CallRelative)
            continue;
        std::string text;
        for (const dwarf::SourceFrame &frame : (*lines)->at(found->front().vaddr + at))
            text += fmt::format("{} {}:{}, ", frame.function, frame.file, frame.line);
        result.push_back(text);
    }
    return result;
}

TEST(Lines, HaveInlinedFunctionsWithTheirCalls)
{
    auto calls = calls_in(tests::target("inlining"), "step");
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_EQ(
        calls[0],
        "shop::checked inlining.cpp:23, shop::Cart::add(long) inlining.cpp:29,  inlining.cpp:37, ");
}

TEST(Lines, AreKnownWithoutTypes)
{
    auto image = elf::Image::open(tests::target("lines"));
    auto lines = dwarf::Lines::open(*image, tests::target("lines"));
    ASSERT_TRUE(lines && *lines);
    auto found = elf::find_functions(*image, "add");
    auto frames = (*lines)->at(found->front().vaddr);
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0].file, "lines.cpp");
    EXPECT_EQ(frames[0].line, 8u);
    EXPECT_EQ(frames[0].function, "");
    EXPECT_TRUE((*lines)->at(1).empty());
}

}  // namespace
