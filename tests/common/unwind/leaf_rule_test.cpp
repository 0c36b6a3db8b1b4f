#include "unwind/leaf_rule.h"

#include <string>

#include <gtest/gtest.h>

#include "unwind/rule.h"

namespace uscope::unwind {
namespace {

using namespace std::string_view_literals;

struct Leaf {
    int kind, cfa_offset;
    bool has_register;
    int fp = UNWIND_AS_BEFORE;
    bool operator==(const Leaf &) const = default;
};
std::ostream &operator<<(std::ostream &out, const Leaf &leaf)
{
    return out << "kind " << leaf.kind << " cfa " << leaf.cfa_offset << " register "
               << leaf.has_register << " fp " << leaf.fp;
}

using Code = LeafRule::Code;

std::optional<Leaf> leaf_at(std::string_view code, uint64_t offset, Code kind = Code::Compiled)
{
    auto leaf = leaf_rule(Bytes(code), offset, kind);
    if (!leaf)
        return std::nullopt;
    EXPECT_TRUE(leaf->rule.kind != UNWIND_BY_SP || leaf->rule.return_offset == -8);
    return Leaf{leaf->rule.kind, leaf->rule.cfa_offset, leaf->has_register, leaf->rule.fp};
}

constexpr Leaf before_frame = {UNWIND_BY_SP, 8, true}, no_frame = {UNWIND_BY_SP, 8, false},
               fp_pushed = {UNWIND_BY_SP, 16, true, UNWIND_AT_CFA},
               fp_set = {UNWIND_BY_FP, 16, true, UNWIND_AT_CFA};

// How optimised functions begin in Node 16, 18 and 22: they check whether they were deoptimised,
// and then make their frame.
constexpr std::string_view optimised_16 =
    "\x48\x8b\x59\xc0"                          // mov -0x40(%rcx),%rbx
    "\xf6\x43\x0f\x01"                          // testb $1,0xf(%rbx)
    "\x74\x0d"                                  // je
    "\x49\xba\x20\xda\x56\x01\x00\x00\x00\x00"  // movabs $…,%r10
    "\x41\xff\xe2"                              // jmp *%r10
    "\x55\x48\x89\xe5\x56\x57\x50\x48\x83\xec\x18"sv;
constexpr std::string_view optimised_18 =
    "\x48\x8b\x59\xa0\xf6\x43\x0f\x01"
    "\x74\x05"              // je
    "\xe9\x31\x19\x41\xfc"  // jmp to a builtin before it
    "\x55\x48\x89\xe5\x56\x57\x50\x48\x83\xec\x08"sv;
constexpr std::string_view optimised_22 =
    "\x48\x8b\x59\xe8\xf6\x43\x32\x20"
    "\x0f\x85\x72\x95\xe0\x1f"  // jne to a builtin
    "\x55\x48\x89\xe5\x56\x57\x50\x48\x83\xec\x18"sv;

TEST(LeafRule, AFunctionBegins)
{
    for (uint64_t offset : {0, 4, 8, 10, 20, 23})
        EXPECT_EQ(leaf_at(optimised_16, offset), before_frame) << offset;
    for (uint64_t offset : {0, 4, 8, 15})
        EXPECT_EQ(leaf_at(optimised_18, offset), before_frame) << offset;
    for (uint64_t offset : {0, 4, 8, 14})
        EXPECT_EQ(leaf_at(optimised_22, offset), before_frame) << offset;
    EXPECT_EQ(leaf_at(optimised_22, 15), fp_pushed);
    EXPECT_EQ(leaf_at(optimised_22, 18), fp_set);
    EXPECT_EQ(leaf_at(optimised_22, 19), fp_set);
    EXPECT_EQ(leaf_at(optimised_22, 20), std::nullopt);  // the frame already has the function
    EXPECT_EQ(leaf_at(optimised_22, 21), std::nullopt);
}

// A baseline function calls a builtin that makes its frame: mov $8,%ebx; movabs $…,%r12; call.
TEST(LeafRule, ABaselineFunctionBegins)
{
    constexpr std::string_view calls =
        "\xbb\x08\x00\x00\x00"
        "\x49\xbc\xd9\x1f\xf0\x4b\x1e\x2d\x00\x00"
        "\xe8\xec\x7f\xe0\x1f\x50"sv;
    EXPECT_EQ(leaf_at(calls, 0), before_frame);
    EXPECT_EQ(leaf_at(calls, 5), before_frame);
    constexpr std::string_view older =
        "\x49\xbc\x59\x7a\xae\xf2\xbc\x1b\x00\x00"
        "\x41\xff\x95\x00\x39\x00\x00\x50"sv;
    EXPECT_EQ(leaf_at(older, 0), before_frame);
}

TEST(LeafRule, AFunctionReturns)
{
    constexpr std::string_view end =
        "\x48\x8b\x4d\xe8"      // mov -0x18(%rbp),%rcx
        "\x48\x8b\xe5\x5d"      // mov %rbp,%rsp; pop %rbp
        "\x48\x83\xf9\x02"      // cmp $2,%rcx
        "\x7f\x03\xc2\x10\x00"  // jg; ret $16
        "\x41\x5a"              // pop %r10
        "\x48\x8d\x24\xcc"      // lea (%rsp,%rcx,8),%rsp
        "\x41\x52\xc3"sv;       // push %r10; ret
    for (uint64_t offset : {0, 4, 7})
        EXPECT_EQ(leaf_at(end, offset), std::nullopt) << offset;
    for (uint64_t offset : {8, 12, 14, 17})
        EXPECT_EQ(leaf_at(end, offset), no_frame) << offset;
    EXPECT_EQ(leaf_at(end, 19), (Leaf{UNWIND_BY_SP, 0, false}));
    auto leaf =
        leaf_rule(Bytes(end), 23, Code::Compiled);  // only the register has the return address
    ASSERT_TRUE(leaf);
    EXPECT_EQ(leaf->rule.kind, UNWIND_ENDS);
    EXPECT_EQ(leaf_at(end, 25), no_frame);
}

TEST(LeafRule, ABuiltinWithoutAFrame)
{
    // mov (%r15,%r11,8),%rcx; jmp *%rcx
    constexpr std::string_view handler = "\x4b\x8b\x0c\xdf\xff\xe1"sv;
    EXPECT_EQ(leaf_at(handler, 0, Code::Builtin), no_frame);
    EXPECT_EQ(leaf_at(handler, 4, Code::Builtin), no_frame);
    EXPECT_EQ(leaf_at(handler, 0), std::nullopt);  // JIT code, here a regular expression
    // push %rbx; sub $0x10,%rsp; jmp *0x3c50(%r13)
    EXPECT_EQ(leaf_at("\x53\x48\x83\xec\x10\x41\xff\xa5\x50\x3c\x00\x00"sv, 0, Code::Builtin),
              (Leaf{UNWIND_BY_SP, 8 - 0x18, false}));
    // lea (%rip),%r10; jmp *(%r10,%rcx,8): a switch, which may be in a frame
    EXPECT_EQ(leaf_at("\x4c\x8d\x15\x00\x00\x00\x00\x41\xff\x24\xca"sv, 0, Code::Builtin),
              std::nullopt);
    // jmp back to push %rbp; mov %rsp,%rbp
    EXPECT_EQ(leaf_at("\x55\x48\x89\xe5\xeb\xfa"sv, 4, Code::Builtin), before_frame);
}

// V8's bytecode handlers end with this instead of a return: mov (%rbp),%rbp; add $0x48,%rsp; jmp
// *%rcx.
TEST(LeafRule, ABuiltinEndsItsFrame)
{
    constexpr std::string_view code = "\x90\x48\x8b\x6d\x00\x48\x83\xc4\x48\xff\xe1"sv;
    EXPECT_EQ(leaf_at(code, 0, Code::Builtin), std::nullopt);
    EXPECT_EQ(leaf_at(code, 5, Code::Builtin), (Leaf{UNWIND_BY_SP, 0x50, false}));
    EXPECT_EQ(leaf_at(code, 9, Code::Builtin), no_frame);
    // leave; pop %rcx; add %rbx,%rsp; push %rcx; ret
    constexpr std::string_view trampoline = "\xc9\x59\x48\x01\xdc\x51\xc3"sv;
    EXPECT_EQ(leaf_at(trampoline, 0, Code::Builtin), std::nullopt);
    EXPECT_EQ(leaf_at(trampoline, 1, Code::Builtin), no_frame);
    EXPECT_EQ(leaf_at(trampoline, 2, Code::Builtin), (Leaf{UNWIND_BY_SP, 0, false}));
}

struct Rule {
    int kind, cfa_offset, fp = UNWIND_AS_BEFORE, fp_offset = 0;
    bool operator==(const Rule &) const = default;
};
std::ostream &operator<<(std::ostream &out, const Rule &rule)
{
    return out << "kind " << rule.kind << " cfa " << rule.cfa_offset << " fp " << rule.fp << " at "
               << rule.fp_offset;
}

// Returns the first rule whose CFA does not have the offset `wrong`.
std::optional<Rule> ahead(std::string_view code, uint64_t offset = 0, int wrong = -1)
{
    auto rule = rule_ahead(Bytes(code), offset,
                           [&](const unwind_rule &rule) { return rule.cfa_offset != wrong; });
    if (!rule)
        return std::nullopt;
    EXPECT_EQ(rule->return_offset, -8);
    return Rule{rule->kind, rule->cfa_offset, rule->fp, rule->fp_offset};
}

// OpenSSL's rsaz_avx2_eligible(): mov $N,%ecx; and %eax,%ecx; cmove %edx,%eax; repz ret
TEST(RuleAhead, OfCodeWithoutAFrame)
{
    constexpr std::string_view code = "\xb9\x00\x01\x08\x00\x21\xc1\x0f\x44\xc2\xf3\xc3"sv;
    for (uint64_t offset : {0, 5, 7, 10})
        EXPECT_EQ(ahead(code, offset), (Rule{UNWIND_BY_SP, 8})) << offset;
    // pop %rbx; ret
    EXPECT_EQ(ahead("\x5b\xc3"sv), (Rule{UNWIND_BY_SP, 16}));
}

// The frame pointer is restored from the stack, or from the frame that it points to.
TEST(RuleAhead, RestoresTheFramePointer)
{
    EXPECT_EQ(ahead("\x5d\xc3"sv), (Rule{UNWIND_BY_SP, 16, UNWIND_AT_CFA, -16}));
    // mov 8(%rsp),%rbp; add $24,%rsp; ret
    EXPECT_EQ(ahead("\x48\x8b\x6c\x24\x08\x48\x83\xc4\x18\xc3"sv),
              (Rule{UNWIND_BY_SP, 32, UNWIND_AT_CFA, -24}));
    // leave; ret, also after sub %rax,%rsp
    EXPECT_EQ(ahead("\xc9\xc3"sv), (Rule{UNWIND_BY_FP, 16, UNWIND_AT_CFA, -16}));
    EXPECT_EQ(ahead("\x48\x29\xc4\xc9\xc3"sv), (Rule{UNWIND_BY_FP, 16, UNWIND_AT_CFA, -16}));
    // lea -16(%rbp),%rsp; pop %rbx; pop %r12; pop %rbp; ret
    EXPECT_EQ(ahead("\x48\x8d\x65\xf0\x5b\x41\x5c\x5d\xc3"sv),
              (Rule{UNWIND_BY_FP, 16, UNWIND_AT_CFA, -16}));
    // Before the frame is made: push %rbp; mov %rsp,%rbp; sub $32,%rsp; leave; ret
    constexpr std::string_view whole = "\x55\x48\x89\xe5\x48\x83\xec\x20\xc9\xc3"sv;
    EXPECT_EQ(ahead(whole, 0), (Rule{UNWIND_BY_SP, 8}));
    EXPECT_EQ(ahead(whole, 1), (Rule{UNWIND_BY_SP, 16, UNWIND_AT_CFA, -16}));
    EXPECT_EQ(ahead(whole, 4), (Rule{UNWIND_BY_FP, 16, UNWIND_AT_CFA, -16}));
    EXPECT_EQ(ahead(whole, 9), (Rule{UNWIND_BY_SP, 8}));
    // push %rbp; mov 24(%rdi),%rbp; mov %rbp,24(%rbx); pop %rbp; ret: the code uses %rbp for
    // something else meanwhile
    EXPECT_EQ(ahead("\x55\x48\x8b\x6f\x18\x48\x89\x6b\x18\x5d\xc3"sv), (Rule{UNWIND_BY_SP, 8}));
    // push %rbp; mov %rdi,%rbp; mov %rbp,-8(%rsp); pop %rbp; ret
    EXPECT_EQ(ahead("\x55\x48\x89\xfd\x48\x89\x6c\x24\xf8\x5d\xc3"sv), (Rule{UNWIND_BY_SP, 8}));
    // mov %rdi,%rbp; … pop %rbp: %rbp is not used as a frame pointer
    EXPECT_EQ(ahead("\x48\x89\xfd\x5d\xc3"sv), (Rule{UNWIND_BY_SP, 16, UNWIND_AT_CFA, -16}));
}

TEST(RuleAhead, PassesCallsAndBranches)
{
    // call; test %eax,%eax; je 1f; pop %rbx; ret; 1: call (never returns); push %rbx; ret
    constexpr std::string_view code =
        "\xe8\x00\x01\x00\x00\x85\xc0\x74\x02\x5b\xc3\xe8\x00\x02\x00\x00\x53\xc3"sv;
    EXPECT_EQ(ahead(code, 0), (Rule{UNWIND_BY_SP, 16}));
    EXPECT_EQ(ahead(code, 5), (Rule{UNWIND_BY_SP, 16}));
    // If that rule is wrong, the rule of the other path is tried.
    EXPECT_EQ(ahead(code, 5, 16), (Rule{UNWIND_BY_SP, 0}));
    // jmp *%rdx; nop; pop %rbx; ret: a switch, or another function
    EXPECT_EQ(ahead("\xff\xe2\x90\x5b\xc3"sv), (Rule{UNWIND_BY_SP, 8}));
    EXPECT_EQ(ahead("\xff\xe2\x90\x5b\xc3"sv, 0, 8), (Rule{UNWIND_BY_SP, 16}));
    // pop %rbx; jmp *0x100(%rip): a tail call
    EXPECT_EQ(ahead("\x5b\xff\x25\x00\x01\x00\x00"sv), (Rule{UNWIND_BY_SP, 16}));
    // 1: dec %eax; jne 1b; ret
    EXPECT_EQ(ahead("\xff\xc8\x75\xfc\xc3"sv), (Rule{UNWIND_BY_SP, 8}));
}

// JavaScriptCore's interpreter, behind a call: mov %rbp,%rsp; sub %rdx,%rsp; jmp *(%rsi,%rax,8)
TEST(RuleAhead, OfCodeThatNeverReturns)
{
    constexpr std::string_view code = "\x48\x89\xec\x48\x29\xd4\xff\x24\xc6\x58\xc3"sv;
    Rule by_fp = {UNWIND_BY_FP, 16, UNWIND_AT_CFA, -16};
    EXPECT_EQ(ahead(code), by_fp);
    // If that is wrong, other paths are tried: mov %rbp,%rsp; jmp …; pop %rax; pop %rax; ret
    constexpr std::string_view other = "\x48\x89\xec\xff\x24\xc6\x58\x58\xc3"sv;
    EXPECT_EQ(ahead(other, 0, 16), (Rule{UNWIND_BY_FP, 24}));
    // mov (%rax),%rbp; mov %rbp,%rsp; jmp *%rcx: another frame's
    EXPECT_EQ(ahead("\x48\x8b\x28\x48\x89\xec\xff\xe1"sv), std::nullopt);
}

TEST(RuleAhead, NothingIsGuessed)
{
    EXPECT_EQ(ahead(""sv), std::nullopt);
    EXPECT_EQ(ahead("\x90\x90"sv), std::nullopt);              // truncated
    EXPECT_EQ(ahead("\x0f\x0b\xc3"sv), std::nullopt);          // ud2
    EXPECT_EQ(ahead("\xeb\xfe"sv), std::nullopt);              // an endless loop
    EXPECT_EQ(ahead("\x48\x29\xc4\xc3"sv), std::nullopt);      // sub %rax,%rsp; ret
    EXPECT_EQ(ahead("\x48\x83\xe4\xf0\xc3"sv), std::nullopt);  // and $-16,%rsp; ret
    EXPECT_EQ(ahead("\x48\x8b\x68\xf8\xc3"sv), std::nullopt);  // mov -8(%rax),%rbp; ret
    EXPECT_EQ(ahead("\x48\x89\xe5\xc3"sv), std::nullopt);      // mov %rsp,%rbp; ret
}

// The trampoline that `python3 -X perf` makes for each Python function.
TEST(RuleAhead, OfPythonsTrampolines)
{
    // sub $8,%rsp; call *%rcx; add $8,%rsp; ret
    constexpr std::string_view python = "\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3"sv;
    const std::pair<size_t, int> positions[] = {{0, 8}, {4, 16}, {6, 16}, {10, 8}};
    for (auto [offset, cfa] : positions)
        EXPECT_EQ(ahead(python, offset), (Rule{UNWIND_BY_SP, cfa})) << offset;
    // endbr64; push %rbp; mov %rsp,%rbp; call *%rcx; pop %rbp; ret
    constexpr std::string_view newer = "\xf3\x0f\x1e\xfa\x55\x48\x89\xe5\xff\xd1\x5d\xc3"sv;
    EXPECT_EQ(ahead(newer, 10), (Rule{UNWIND_BY_SP, 16, UNWIND_AT_CFA, -16}));
    for (uint64_t offset : {0, 4})
        EXPECT_EQ(ahead(newer, offset), (Rule{UNWIND_BY_SP, 8})) << offset;
}

std::optional<Rule> before_return(std::string_view code)
{
    auto rule = rule_before_return(Bytes(code));
    if (!rule)
        return std::nullopt;
    EXPECT_EQ(rule->return_offset, -8);
    return Rule{rule->kind, rule->cfa_offset, rule->fp, rule->fp_offset};
}

// How a JVM's compiled code ends: add $16,%rsp; pop %rbp; cmp 0x450(%r15),%rsp; ja …; ret
TEST(RuleBeforeReturn, OfAMethod)
{
    constexpr std::string_view end =
        "\x48\x83\xc4\x10\x5d\x49\x3b\xa7\x50\x04\x00\x00\x0f\x87\x40\x00\x00\x00\xc3"sv;
    EXPECT_EQ(before_return(end), (Rule{UNWIND_BY_SP, 32, UNWIND_AT_CFA, -16}));
    EXPECT_EQ(before_return(end.substr(4)), (Rule{UNWIND_BY_SP, 16, UNWIND_AT_CFA, -16}));
    for (uint64_t offset : {5, 12, 18})
        EXPECT_EQ(before_return(end.substr(offset)), (Rule{UNWIND_BY_SP, 8})) << offset;
    // add $0x108,%rsp; pop %rbx; pop %rbp; pop %r12; vzeroupper; ret
    EXPECT_EQ(before_return("\x48\x81\xc4\x08\x01\x00\x00\x5b\x5d\x41\x5c\xc5\xf8\x77\xc3"sv),
              (Rule{UNWIND_BY_SP, 0x108 + 4 * 8, UNWIND_AT_CFA, -24}));
}

TEST(RuleBeforeReturn, NothingIsGuessed)
{
    EXPECT_EQ(before_return("\xe8\x00\x01\x00\x00\x5d\xc3"sv), std::nullopt);  // a call
    EXPECT_EQ(before_return("\xff\xd1\x5d\xc3"sv), std::nullopt);              // the same
    EXPECT_EQ(before_return("\x5a\xff\xe0\xc3"sv), std::nullopt);              // jmp *%rax
    EXPECT_EQ(before_return("\x5c\xc3"sv), std::nullopt);                      // pop %rsp
    EXPECT_EQ(before_return("\x48\x83\xc4"sv), std::nullopt);                  // truncated
    EXPECT_EQ(before_return("\x5d"sv), std::nullopt);                          // the same
    EXPECT_EQ(before_return(""sv), std::nullopt);
    EXPECT_EQ(before_return("\x48\x81\xc4\0\0\0\x10\xc3"sv), std::nullopt);  // too large
    // mov %rsp,%rbp; ret: the frame pointer is not restored
    EXPECT_EQ(before_return("\x48\x89\xe5\xc3"sv), std::nullopt);
}

TEST(LeafRule, NothingIsGuessed)
{
    EXPECT_EQ(leaf_at("", 0), std::nullopt);
    EXPECT_EQ(leaf_at("\xc3"sv, 7), std::nullopt);                      // outside
    EXPECT_EQ(leaf_at("\x90\x90"sv, 0), std::nullopt);                  // truncated
    EXPECT_EQ(leaf_at("\xe8\x00\x00\x00\x00\xc3"sv, 0), std::nullopt);  // a call
    EXPECT_EQ(leaf_at("\xcc\xc3"sv, 0), std::nullopt);                  // a trap
    EXPECT_EQ(leaf_at("\xeb\xfe"sv, 0), std::nullopt);                  // an endless loop
    EXPECT_EQ(leaf_at("\x4c\x29\xd4\xc3"sv, 0), std::nullopt);          // sub %r10,%rsp
    // add %rbx,%rsp alone
    EXPECT_EQ(leaf_at("\x48\x01\xdc\x90\xc3"sv, 0, Code::Builtin), std::nullopt);
    EXPECT_EQ(leaf_at("\x49\x8b\xe2\xc3"sv, 0), std::nullopt);                  // mov %r10,%rsp
    EXPECT_EQ(leaf_at("\x48\x83\xe4\xf0\xc3"sv, 0), std::nullopt);              // and $-16,%rsp
    EXPECT_EQ(leaf_at("\x5c\xc3"sv, 0), std::nullopt);                          // pop %rsp
    EXPECT_EQ(leaf_at("\x48\x81\xec\x00\x00\x00\x40\xc3"sv, 0), std::nullopt);  // too large
}

}  // namespace
}  // namespace uscope::unwind
