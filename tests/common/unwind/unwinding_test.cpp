#include "unwind/unwinding.h"

#include <algorithm>
#include <map>

#include <execinfo.h>
#include <gtest/gtest.h>
#include <ucontext.h>
#include <unistd.h>

#include "elf/frames.h"
#include "proc/maps.h"
#include "symbols/symbolize.h"

namespace uscope::unwind {
using symbols::UserSymbols;

namespace {

using namespace std::string_view_literals;

#if defined(__x86_64__)

struct Snapshot {
    std::vector<uint64_t> own;  // what backtrace() finds
    Unwinding::Registers registers = {};
    uint64_t pc = 0, sp = 0;
    std::vector<char> stack;
};

uint64_t end_of_stack(uint64_t sp)
{
    auto mappings = proc::read_maps(getpid()).value();
    for (const auto &mapping : mappings)
        if (sp >= mapping.start && sp < mapping.end)
            return mapping.end;
    return sp;
}

// Returns the registers and the stack as a probe would see them in the middle of this function.
__attribute__((noinline)) Snapshot take_snapshot()
{
    Snapshot snapshot;
    void *addresses[UNWIND_FRAMES];
    int count = backtrace(addresses, UNWIND_FRAMES);
    ucontext_t context;
    getcontext(&context);
    const auto &g = context.uc_mcontext.gregs;
    // The registers that functions preserve (rbx, rbp, rsp and r12 to r15), by their DWARF numbers.
    constexpr std::pair<int, int> kept[] = {{3, REG_RBX},  {6, REG_RBP},  {7, REG_RSP},
                                            {12, REG_R12}, {13, REG_R13}, {14, REG_R14},
                                            {15, REG_R15}};
    for (auto [number, location] : kept)
        snapshot.registers[number] = uint64_t(g[location]);
    snapshot.pc = uint64_t(g[REG_RIP]);
    snapshot.sp = uint64_t(g[REG_RSP]);
    snapshot.own.assign(reinterpret_cast<uint64_t *>(addresses) + 1,
                        reinterpret_cast<uint64_t *>(addresses) + count);
    auto *from = reinterpret_cast<const char *>(snapshot.sp);
    snapshot.stack.assign(from, reinterpret_cast<const char *>(end_of_stack(snapshot.sp)));
    return snapshot;
}

__attribute__((noinline)) Snapshot deep(int depth)
{
    volatile char room[100];
    room[0] = 1;
    Snapshot snapshot = depth ? deep(depth - 1) : take_snapshot();
    room[1] = room[0];
    return snapshot;
}

int compare(const void *, const void *);
Snapshot from_the_library;
int compare(const void *, const void *)
{
    from_the_library = deep(2);
    return 0;
}

using Rules = std::map<std::pair<uint64_t, bool>, unwind_rule>;

UserStack walk(const Snapshot &snapshot, const StackCopy &copy, UserSymbols &symbols,
               Rules *rules = nullptr)
{
    Unwinding unwinding(
        copy, [&](uint64_t pc) { return symbols.code(getpid(), pc); },
        [&](uint64_t pc, bool is_exact, const unwind_rule &rule) {
            if (rules)
                (*rules)[{pc, is_exact}] = rule;
        });
    UserStack stack;
    unwinding.walk(snapshot.pc, true, snapshot.registers, stack);
    return stack;
}

UserStack walk(const Snapshot &snapshot, UserSymbols &symbols, Rules *rules = nullptr)
{
    StackCopy copy = {{snapshot.sp, Bytes(snapshot.stack.data(), snapshot.stack.size())}};
    return walk(snapshot, copy, symbols, rules);
}

TEST(Unwind, FindsWhatTheCLibraryFinds)
{
    UserSymbols symbols;
    Snapshot snapshot = deep(20);
    UserStack stack = walk(snapshot, symbols);
    EXPECT_EQ(stack.addresses, snapshot.own);
    EXPECT_EQ(stack.end, UNWIND_WHOLE);
    EXPECT_GT(stack.addresses.size(), 25u);
}

TEST(Unwind, GoesThroughTheCLibrary)
{
    UserSymbols symbols;
    int values[2] = {2, 1};
    qsort(values, 2, sizeof(int), compare);
    UserStack stack = walk(from_the_library, symbols);
    EXPECT_EQ(stack.addresses, from_the_library.own);
    EXPECT_EQ(stack.end, UNWIND_WHOLE);
}

// Walks as the kernel side does: only with the rules that were learned, the stack pointer and the
// frame pointer.
TEST(Unwind, TeachesRulesThatLeadToTheSameStack)
{
    UserSymbols symbols;
    Snapshot snapshot = deep(7);
    Rules rules;
    UserStack wanted = walk(snapshot, symbols, &rules);
    StackCopy copy = {{snapshot.sp, Bytes(snapshot.stack.data(), snapshot.stack.size())}};
    uint64_t pc = snapshot.pc, sp = snapshot.sp, fp = *snapshot.registers[6];
    bool is_exact = true;
    std::vector<uint64_t> addresses;
    for (;;) {
        ASSERT_TRUE(rules.contains({pc, is_exact}));
        const unwind_rule &rule = rules[{pc, is_exact}];
        if (rule.kind == UNWIND_ENDS)
            break;
        ASSERT_LE(rule.kind, UNWIND_BY_FP);
        uint64_t cfa = (rule.kind == UNWIND_BY_SP ? sp : fp) + uint64_t(int64_t(rule.cfa_offset));
        if (rule.fp == UNWIND_AT_CFA)
            fp = copy.read(cfa + uint64_t(int64_t(rule.fp_offset))).value();
        pc = copy.read(cfa + uint64_t(int64_t(rule.return_offset))).value();
        sp = cfa;
        is_exact = false;
        addresses.push_back(pc);
    }
    EXPECT_EQ(addresses, wanted.addresses);
}

TEST(Unwind, SaysWhenTheCopyIsTooShort)
{
    UserSymbols symbols;
    Snapshot snapshot = deep(20);
    snapshot.stack.resize(1000);
    UserStack stack = walk(snapshot, symbols);
    EXPECT_EQ(stack.end, UNWIND_SHORT);
    EXPECT_LT(stack.addresses.size(), snapshot.own.size());
    EXPECT_TRUE(std::equal(stack.addresses.begin(), stack.addresses.end(), snapshot.own.begin()));
}

TEST(Unwind, SaysWhenAFrameIsLargerThanTheLargestCopy)
{
    std::vector<uint8_t> bytes(UNWIND_SMALL);
    StackCopy copy = {{0x1000, Bytes(bytes.data(), bytes.size())}};
    EXPECT_TRUE(copy.read(0x1000));
    EXPECT_FALSE(copy.read(0x900));
    EXPECT_FALSE(copy.was_short);
    EXPECT_FALSE(copy.read(0x1000 + 65536));
    EXPECT_TRUE(copy.was_short);
}

// caml_start_program() of OCaml 5 changes to another stack: its rule is CFA = *(rsp + 16) + 80.
TEST(Unwind, ChangesStacksAsOCamlSays)
{
    elf::UnwindRow row;
    row.is_signal = true;
    row.row.cfa_expression = Bytes("\x77\x10\x06\x23\x50"sv);
    row.row.return_register = 16;
    row.row.registers[16] = {elf::SavedRegister::Kind::AtCfa, -8};
    row.row.registers[6] = {elf::SavedRegister::Kind::AtCfa, -24};
    unwind_rule rule = rule_of(row, own_machine(), 0x1000);
    EXPECT_EQ(rule.kind, UNWIND_BY_SP_AT);
    EXPECT_EQ(rule.cfa_offset, 16);
    EXPECT_EQ(rule.end, 80);
    EXPECT_EQ(rule.return_offset, -8);
    EXPECT_EQ(rule.fp, UNWIND_AT_CFA);
    EXPECT_EQ(rule.fp_offset, -24);
    // The rule of the kernel's signal frame, in which the kernel has saved the return address.
    row.row.registers[16] = {elf::SavedRegister::Kind::AtExpression, 0, Bytes("\x77\xa8\x01"sv)};
    EXPECT_EQ(rule_of(row, own_machine(), 0x1000).kind, UNWIND_BY_SIGNAL);
}

// Code without a table: leave; ret. A rule that ends the stack there would also end all later ones.
TEST(Unwind, LearnsNoEndFromACopyThatIsTooShort)
{
    constexpr uint64_t code = 0x400000, sp = 0x10000;
    CodeLocation location;
    location.jit_code = {0xc9, 0xc3};
    location.jit_bytes = 2;
    std::vector<uint8_t> bytes(UNWIND_SMALL);
    auto end_with = [&](uint64_t fp, std::vector<unwind_rule> &learned) {
        Unwinding unwinding(
            {{sp, Bytes(bytes.data(), bytes.size())}},
            [&](uint64_t pc) { return pc == code ? std::optional(location) : std::nullopt; },
            [&](uint64_t, bool, const unwind_rule &rule) { learned.push_back(rule); });
        Unwinding::Registers registers = {};
        registers[6] = fp;
        registers[7] = sp;
        UserStack stack;
        unwinding.walk(code, true, registers, stack);
        return stack.end;
    };
    std::vector<unwind_rule> learned;
    EXPECT_EQ(end_with(sp + UNWIND_MEDIUM, learned), UNWIND_SHORT);
    EXPECT_TRUE(learned.empty());
    EXPECT_EQ(end_with(sp - 8, learned), UNWIND_NO_TABLE);
    EXPECT_EQ(learned.size(), 1u);
}

// The walk may continue from one copied piece of memory to another, if no frame begins or ends
// between them.
TEST(Unwind, GoesOnInACopyOfAnotherPlace)
{
    UserSymbols symbols;
    Snapshot snapshot = deep(20);
    Bytes stack(snapshot.stack.data(), snapshot.stack.size());
    constexpr uint64_t near = 1000;
    StackCopy copy = {{snapshot.sp, stack.slice(0, near).value()}};
    copy.far[1] = {snapshot.sp + near, stack.from(near)};
    EXPECT_EQ(walk(snapshot, copy, symbols).addresses, snapshot.own);
}

TEST(Unwind, BelievesNoChunkThatCouldNotBeRead)
{
    UserSymbols symbols;
    Snapshot snapshot = deep(20);
    StackCopy copy = {{snapshot.sp, Bytes(snapshot.stack.data(), snapshot.stack.size()), ~2ull}};
    EXPECT_TRUE(copy.read(snapshot.sp + UNWIND_CHUNK - 8));
    EXPECT_FALSE(copy.read(snapshot.sp + UNWIND_CHUNK - 7));
    EXPECT_FALSE(copy.read(snapshot.sp + 2 * UNWIND_CHUNK - 1));
    EXPECT_TRUE(copy.read(snapshot.sp + 2 * UNWIND_CHUNK));
    copy.near.copied = 1;
    UserStack stack = walk(snapshot, copy, symbols);
    EXPECT_EQ(stack.end, UNWIND_UNREADABLE);
    EXPECT_LT(stack.addresses.size(), snapshot.own.size());
}

TEST(Unwind, SaysWhenThereIsNoCode)
{
    Unwinding unwinding(
        {}, [](uint64_t) { return std::nullopt; },
        [](uint64_t, bool, const unwind_rule &) { FAIL(); });
    UserStack stack;
    unwinding.walk(0x1000, true, {}, stack);
    EXPECT_EQ(stack.end, UNWIND_UNREADABLE);
    EXPECT_TRUE(stack.addresses.empty());
}

#endif

}  // namespace
}  // namespace uscope::unwind
