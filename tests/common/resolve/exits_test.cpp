#include "resolve/exits.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "elf/functions.h"
#include "insn/flow.h"
#include "support/files.h"

using namespace uscope;
using resolve::ExitFinder;
using resolve::Exits;

namespace {

class ExitsOf : public testing::Test {
  protected:
    void SetUp() override { open("exits"); }

    void open(const char *target)
    {
        auto opened = elf::Image::open(tests::target(target));
        ASSERT_TRUE(opened) << opened.error().text;
        image_.emplace(std::move(*opened));
        finder_.emplace(*image_);
    }

    elf::Function function(const char *name)
    {
        auto found = elf::find_functions(*image_, name);
        EXPECT_TRUE(found) << name;
        return found->front();
    }

    Exits find(const char *name)
    {
        elf::Function found = function(name);
        auto exits = finder_->find(found.vaddr, found.size, found.vaddr);
        EXPECT_TRUE(exits) << name << ": " << exits.error().text;
        return exits.value_or(Exits());
    }

    void expect_flow(const std::vector<uint64_t> &places, insn::Flow flow)
    {
        for (uint64_t vaddr : places) {
            auto step = insn::step(uscope::abi::host_machine, *image_->bytes_from(vaddr));
            ASSERT_TRUE(step);
            EXPECT_EQ(step->flow, flow) << std::hex << vaddr;
        }
    }

    std::optional<elf::Image> image_;
    std::optional<ExitFinder> finder_;
};

TEST_F(ExitsOf, APlainFunctionIsALeafWithOneReturn)
{
    Exits exits = find("plain");
    EXPECT_EQ(exits.returns.size(), 1u);
    expect_flow(exits.returns, insn::Flow::Return);
    EXPECT_TRUE(exits.is_leaf);
    EXPECT_TRUE(exits.borrowed.empty() && exits.tail_calls.empty());
}

TEST_F(ExitsOf, ATailCallReturnsWhereTheOtherFunctionDoes)
{
    Exits exits = find("tail_caller");
    EXPECT_TRUE(exits.returns.empty());
    EXPECT_EQ(exits.borrowed, find("plain").returns);
    EXPECT_FALSE(exits.is_leaf);

    Exits conditional = find("conditional_tail");
    EXPECT_FALSE(conditional.returns.empty());
    EXPECT_EQ(conditional.borrowed, exits.borrowed);

    elf::Function caller = function("tail_caller");
    auto alone = finder_->find_alone(caller.vaddr, caller.size, caller.vaddr);
    ASSERT_TRUE(alone);
    EXPECT_EQ(alone->tail_calls.size(), 1u);
    expect_flow(alone->tail_calls, insn::Flow::Jump);
}

TEST_F(ExitsOf, WhatIsNotKnownOfATailCallIsSaid)
{
    Exits pointer = find("by_pointer");
    EXPECT_EQ(pointer.tail_calls.size() + pointer.returns.size(), 1u);
}

TEST_F(ExitsOf, ATablesTargetsAreFound)
{
    Exits exits = find("table");
    EXPECT_GE(exits.returns.size(), 2u);
    expect_flow(exits.returns, insn::Flow::Return);
    EXPECT_FALSE(exits.may_leave_unseen);
}

TEST_F(ExitsOf, MovedPartsBelongToTheirFunction)
{
    Exits exits = find("with_cold_part");
    expect_flow(exits.returns, insn::Flow::Return);
    EXPECT_FALSE(exits.returns.empty());
    EXPECT_TRUE(exits.tail_calls.empty());
}

#ifdef __x86_64__
// Each of the two parts sees only some of the instructions that lead to the return instruction.
TEST_F(ExitsOf, BranchesOfAMovedPartDoNotReplaceTheReturn)
{
    finder_.emplace(*image_, spec::BranchUse{true, false, false});
    Exits exits = find("moved_back");
    EXPECT_EQ(exits.returns.size(), 1u);
    EXPECT_TRUE(exits.branches.empty() && exits.borrowed_branches.empty());
}
#endif

class ExitsByOwnLinks : public ExitsOf {
  protected:
    void SetUp() override { open("own_links"); }
};

TEST_F(ExitsByOwnLinks, AreTailCallsLikeAnyOther)
{
    for (const char *name : {"by_stub", "by_stub_at_times"}) {
        Exits exits = find(name);
        EXPECT_EQ(exits.borrowed, find("linked").returns) << name;
        EXPECT_TRUE(exits.tail_calls.empty()) << name;
        EXPECT_FALSE(exits.may_leave_unseen) << name;
    }
    EXPECT_EQ(find("by_stub_at_times").returns.size(), 1u);
    Exits slot = find("by_slot");
    EXPECT_EQ(slot.borrowed, find("linked_without_stub").returns);
    EXPECT_TRUE(slot.returns.empty() && slot.tail_calls.empty());
}

TEST_F(ExitsByOwnLinks, ReturnElsewhereIfAnotherFileHasTheFunction)
{
    Exits exits = find("leaves");
    EXPECT_TRUE(exits.returns.empty() && exits.borrowed.empty());
    EXPECT_EQ(exits.tail_calls.size(), 1u);
}

class ExitsByTables : public ExitsOf {
  protected:
    void SetUp() override { open("tables"); }

    // Returns the offsets of all return instructions of a function. The compiler puts no data into
    // these functions, so none is data by chance.
    std::vector<uint64_t> all_returns(const char *name)
    {
        elf::Function found = function(name);
        std::vector<uint64_t> returns;
        for (uint64_t vaddr = found.vaddr; vaddr < found.vaddr + found.size;) {
            auto step = insn::step(uscope::abi::host_machine, *image_->bytes_from(vaddr));
            EXPECT_TRUE(step) << name;
            if (step->flow == insn::Flow::Return)
                returns.push_back(vaddr);
            vaddr += step->length;
        }
        return returns;
    }
};

TEST_F(ExitsByTables, WhereAnExceptionIsCaughtIsFollowed)
{
    Exits exits = find("catches");
    EXPECT_EQ(exits.returns.size(), 1u);
    EXPECT_FALSE(exits.may_leave_unseen);
}

TEST_F(ExitsByTables, LabelsWhoseAddressesAreTakenAreFollowed)
{
    if (uscope::abi::host_machine != uscope::abi::Machine::X86_64)
        GTEST_SKIP() << "only read on x86-64";
    for (const char *name : {"interprets", "jumps"}) {
        EXPECT_EQ(find(name).returns, all_returns(name)) << name;
        EXPECT_GE(all_returns(name).size(), 2u) << name;
    }
}

// When the function jumps to its labels, its frame is on the stack. So these are not tail calls.
TEST_F(ExitsByTables, AJumpWithAFrameIsNoCall)
{
    if (uscope::abi::host_machine != uscope::abi::Machine::X86_64)
        GTEST_SKIP() << "only read on x86-64";
    elf::Function interprets = function("interprets");
    auto exits = finder_->find_alone(interprets.vaddr, interprets.size, interprets.vaddr);
    ASSERT_TRUE(exits);
    expect_flow(exits->tail_calls, insn::Flow::Jump);
}

TEST_F(ExitsByTables, DataBetweenTheCasesIsNotTakenForCode)
{
    if (uscope::abi::host_machine != uscope::abi::Machine::X86_64)
        GTEST_SKIP() << "written for x86-64";
    elf::Function found = function("data_inside");
    auto exits = finder_->find(found.vaddr, found.size, found.vaddr);
    ASSERT_FALSE(exits);
    EXPECT_EQ(exits.error().text, "has bytes that may be code or data at +0x13");
}

// In a real library, all exits that are found are returns and jumps, and the exits of nearly all
// functions are found.
TEST(Exits, OfTheCLibrary)
{
    auto image = elf::Image::open("/lib/x86_64-linux-gnu/libc.so.6");
    if (!image || uscope::abi::machine_of(image->machine()) != uscope::abi::host_machine)
        GTEST_SKIP() << "no C library here";
    ExitFinder finder(*image);
    auto functions = elf::all_functions(*image, {.debug_files = false, .demangle = false});
    ASSERT_TRUE(functions);
    size_t exact = 0;
    for (const elf::Function &function : *functions) {
        auto exits = finder.find(function.vaddr, function.size, function.vaddr);
        if (!exits)
            continue;
        exact++;
        for (uint64_t vaddr : exits->returns) {
            auto step = insn::step(uscope::abi::host_machine, *image->bytes_at(vaddr, 4));
            ASSERT_TRUE(step);
            ASSERT_EQ(step->flow, insn::Flow::Return) << function.name;
        }
    }
    EXPECT_GT(exact, functions->size() * 99 / 100);
}

}  // namespace
