#include "resolve/exit_branches.h"

#include <sstream>
#include <vector>

#include <gtest/gtest.h>

using namespace uscope;
using namespace uscope::resolve;

namespace {

using Code = std::vector<uint8_t>;

constexpr uint64_t start = 0x1000;
constexpr spec::BranchUse latency = {true, false, false}, value = {true, true, false},
                          memory = {true, true, true};

const Code test_edi = {0x85, 0xff}, ret = {0xc3}, call = {0xe8, 0, 0, 0, 0}, push_rbp = {0x55},
           pop_rbp = {0x5d}, mov_rsp_rbp = {0x48, 0x89, 0xe5}, leave = {0xc9},
           sub_rsp = {0x48, 0x83, 0xec, 0x18}, add_rsp = {0x48, 0x83, 0xc4, 0x18},
           mov_ebx_eax = {0x89, 0xd8}, zero_eax = {0x31, 0xc0}, sete = {0x0f, 0x94, 0xc0},
           store = {0x89, 0x07};

Code je(int8_t distance)
{
    return {0x74, uint8_t(distance)};
}
Code jne(int8_t distance)
{
    return {0x75, uint8_t(distance)};
}
Code jmp(int8_t distance)
{
    return {0xeb, uint8_t(distance)};
}

struct Function {
    explicit Function(const std::vector<Code> &instructions)
    {
        for (const Code &code : instructions)
            bytes.insert(bytes.end(), code.begin(), code.end());
        graph.entry = start;
        uint64_t at = 0;
        for (const Code &code : instructions) {
            Bytes rest = Bytes(bytes.data(), bytes.size()).from(at);
            graph.nodes.push_back(
                {start + at, rest, *insn::step(uscope::abi::Machine::X86_64, rest)});
            at += code.size();
        }
    }

    // Each branch: "+offset condition stack[:taken][/not taken]", where a way to a return is
    // written as the returned value. Then the replaced returns.
    std::string exits(
        spec::BranchUse use = latency,
        const IsClosed &is_closed = [](uint64_t, uint64_t, size_t) { return true; })
    {
        std::ostringstream text;
        text << std::hex;
        BranchExits exits = find_exit_branches(graph, use, is_closed);
        for (const ExitBranch &branch : exits.branches) {
            text << "+" << branch.vaddr - start << " " << unsigned(branch.condition) << " "
                 << (branch.by_frame_pointer ? "rbp+" : "rsp+") << branch.offset;
            if (branch.taken.returns)
                text << " :" << describe(branch.taken.value);
            if (branch.not_taken.returns)
                text << " /" << describe(branch.not_taken.value);
            text << "\n";
        }
        for (uint64_t vaddr : exits.replaced)
            text << "ret +" << vaddr - start << "\n";
        return text.str();
    }

    static std::string describe(const insn::ReturnedValue &value)
    {
        using From = insn::ReturnedValue::From;
        if (value.from == From::Register)
            return "r" + std::to_string(value.reg);
        return value.from == From::Constant ? std::to_string(value.constant) : "?";
    }

    Code bytes;
    FlowGraph graph;
};

TEST(ExitBranches, OneBranchLeadsToTheReturn)
{
    // The stack protector: jne to a call that does not return.
    Function function({sub_rsp, test_edi, jne(7), mov_ebx_eax, add_rsp, ret, call});
    EXPECT_EQ(function.exits(), "+6 5 rsp+18 /r3\nret +e\n");
    EXPECT_EQ(function.exits(value), function.exits());
    EXPECT_EQ(function.exits(memory), function.exits());
}

TEST(ExitBranches, BothWaysMayReturn)
{
    // je 1f; mov %ebx,%eax; ret; 1: xor %eax,%eax; ret
    Function two({test_edi, je(3), mov_ebx_eax, ret, zero_eax, ret});
    EXPECT_EQ(two.exits(), "+2 4 rsp+0 :0 /r3\nret +6\nret +9\n");
    // je 1f; xor %eax,%eax; 1: ret
    Function one({test_edi, je(2), zero_eax, ret});
    EXPECT_EQ(one.exits(), "+2 4 rsp+0 :r0 /0\nret +6\n");
}

TEST(ExitBranches, AnUnconditionalJumpIsOne)
{
    // call; jmp 1f; 0: ud2; 1: ret
    Function function({call, jmp(2), {0x0f, 0x0b}, ret});
    EXPECT_EQ(function.exits(), "+5 10 rsp+0 :r0\nret +9\n");
}

TEST(ExitBranches, TheFramePointerFindsTheReturnAddress)
{
    Function function({push_rbp, mov_rsp_rbp, sub_rsp, test_edi, jne(2), leave, ret, call});
    EXPECT_EQ(function.exits(), "+a 5 rbp+8 /r0\nret +d\n");
}

TEST(ExitBranches, ACallAfterTheBranchIsPartOfTheLatency)
{
    EXPECT_EQ(Function({test_edi, jne(6), call, ret, call}).exits(), "");
}

TEST(ExitBranches, ALoopWouldRunItTooOften)
{
    // 0: test; jne 0b; ret
    EXPECT_EQ(Function({push_rbp, test_edi, jne(-4), pop_rbp, ret}).exits(), "");
}

TEST(ExitBranches, TheStackCheckIsInNoLoopEvenIfCodeFollowsItsFailure)
{
    // 0: test; je 1f; jmp 2f; 1: sub %fs:0x28,%rdx; jne 3f; ret; 3: call; 2: test; jmp 0b
    const Code guard = {0x64, 0x48, 0x2b, 0x14, 0x25, 0x28, 0, 0, 0};
    Function function({push_rbp, test_edi, je(2), jmp(18), guard, jne(2), pop_rbp, ret, call,
                       test_edi, jmp(-28)});
    EXPECT_EQ(function.exits(), "+10 5 rsp+8 /r0\nret +13\n");
    function.bytes[12] = 0x30;  // not the protector's value
    EXPECT_EQ(function.exits(), "");
}

TEST(ExitBranches, AllPathsMustPassOne)
{
    // test; je 1f; call; 1: ret: the return is reached after the call, too.
    EXPECT_EQ(Function({test_edi, je(5), call, ret}).exits(), "");
}

TEST(ExitBranches, AnUnknownWayInRefusesThem)
{
    Function function({test_edi, jne(3), mov_ebx_eax, ret, call});
    EXPECT_NE(function.exits(), "");
    uint64_t first = 0, last = 0;
    size_t near = 9;
    EXPECT_EQ(function.exits(latency,
                             [&](uint64_t from, uint64_t to, size_t own_near) {
                                 first = from, last = to, near = own_near;
                                 return false;
                             }),
              "");
    EXPECT_EQ(first, start + 4);
    EXPECT_EQ(last, start + 6);
    EXPECT_EQ(near, 0u);
    function.graph.indirect = {start + 6};  // a jump table
    EXPECT_EQ(function.exits(), "");
}

TEST(ExitBranches, TheValueMustBeKnownIfItIsRead)
{
    Function function({test_edi, jne(4), sete, ret, call});
    EXPECT_EQ(function.exits(), "+2 5 rsp+0 /?\nret +7\n");
    EXPECT_EQ(function.exits(value), "");
}

TEST(ExitBranches, MemoryMustBeFinalIfItIsRead)
{
    Function function({test_edi, jne(3), store, ret, call});
    EXPECT_NE(function.exits(value), "");
    EXPECT_EQ(function.exits(memory), "");
}

TEST(ExitBranches, AnUnknownStackPointerRefusesThem)
{
    // and $-16,%rsp; lea (%rsp,%rbx),%rsp; cmove %rbx,%rsp
    for (const Code &code : std::vector<Code>{
             {0x48, 0x83, 0xe4, 0xf0}, {0x48, 0x8d, 0x24, 0x1c}, {0x48, 0x0f, 0x44, 0xe3}}) {
        Function function({test_edi, jne(int8_t(code.size() + 1)), code, ret, call});
        EXPECT_EQ(function.exits(), "");
    }
}

TEST(ExitBranches, ACallPassesFewOfThem)
{
    // test; je 1f; call …; 1: ret with many early exits before a stepped return.
    std::vector<Code> instructions;
    constexpr int checks = 8;
    for (int i = 0; i < checks; i++) {
        instructions.push_back(test_edi);
        instructions.push_back(je(int8_t(4 * (checks - 1 - i) + 6)));
    }
    instructions.push_back(call);
    instructions.push_back(ret);
    instructions.push_back(zero_eax);
    instructions.push_back(ret);
    EXPECT_EQ(Function(instructions).exits(), "");
}

TEST(ExitBranches, LoopHintsAndCountersAreStepped)
{
    // jrcxz: the kernel does not emulate it
    EXPECT_EQ(Function({test_edi, {0xe3, 0x03}, mov_ebx_eax, ret, call}).exits(), "");
}

TEST(ExitAtEntry, IsSeenWhereOnlyStraightCodeFollows)
{
    Function getter({mov_ebx_eax, ret});
    auto branch = find_exit_at_entry(getter.graph, start, latency);
    ASSERT_TRUE(branch);
    EXPECT_EQ(branch->vaddr, start);
    EXPECT_EQ(branch->condition, ExitBranch::always);
    EXPECT_EQ(branch->offset, 0);
    EXPECT_EQ(branch->taken.value.reg, 3);
    EXPECT_FALSE(find_exit_at_entry(Function({test_edi, je(0), ret}).graph, start, latency));
    EXPECT_FALSE(find_exit_at_entry(Function({call, ret}).graph, start, latency));
    EXPECT_FALSE(find_exit_at_entry(Function({store, ret}).graph, start, memory));
    EXPECT_FALSE(find_exit_at_entry(Function({ret}).graph, start, latency));
}

}  // namespace
