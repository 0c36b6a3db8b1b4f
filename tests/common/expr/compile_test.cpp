// Conditions and values of generated programs, run on invented memory.
#include <gtest/gtest.h>

#include "support/expr_machine.h"

using namespace uscope;
using namespace uscope::expr;
using namespace uscope::test;

namespace {

std::string node_bytes()
{
    std::string bytes(72, '\0');
    auto put = [&](size_t offset, auto value) { memcpy(&bytes[offset], &value, sizeof(value)); };
    put(0, int32_t(-5));
    put(4, uint8_t(200));
    put(5, uint8_t(0b10110'101));  // low 5, high -10
    memcpy(&bytes[8], "sixteen letters!", 16);
    put(24, text_at);
    put(32, node_at);
    for (int i = 0; i < 4; i++)
        put(40 + i * 2, int16_t(-i * 100));
    put(48, 2.5);
    put(56, int64_t(1) << 40);
    put(64, uint32_t(0xabc) << 6);
    return bytes;
}

// Returns whether the condition is true, with path -> "hello", p -> a node, $comm "worker".
// `absent`: the pages of `path` and `p` are mapped but not in memory.
bool holds(const std::string &condition, bool sleepable = false, bool absent = false)
{
    TestRequest request;
    request.predicate = condition;
    request.request.sleepable = sleepable;
    Machine machine(request);
    machine.run.set_context(rsi, text_at);
    machine.run.set_context(rdi, node_at);
    machine.run.set_context(r8d, 5);
    machine.run.add_user_memory(text_at, std::string("hello\0", 6));
    machine.run.add_user_memory(node_at, node_bytes());
    if (absent) {
        machine.run.make_absent(text_at);
        machine.run.make_absent(node_at);
    }
    return machine.fire().size() == 1;
}

TEST(Program, RejectsByTheConditionWithoutReservingARecord)
{
    TestRequest request;
    request.predicate = "arg1 == 3 && arg2 > 4";
    request.values = {{"arg1"}};
    Machine machine(request);
    machine.run.set_context(rdi, 3);
    machine.run.set_context(rsi, 4);
    EXPECT_TRUE(machine.fire().empty());
    EXPECT_TRUE(machine.run.helper_calls.empty());
}

TEST(Program, AcceptsByTheCondition)
{
    TestRequest request;
    request.predicate = "arg1 == 3 && arg2 > 4";
    request.values = {{"arg1"}, {"arg2 * 2"}};
    request.request.probe = 17;
    Machine machine(request);
    machine.run.set_context(rdi, 3);
    machine.run.set_context(rsi, 5);
    EXPECT_EQ(machine.integer(1), 10u);
    EXPECT_EQ(machine.run.emitted[0].tag, 17u);
}

TEST(Program, TellsTheEmitFunctionOfAFullRing)
{
    TestRequest request;
    request.values = {{"path"}};
    Machine machine(request);
    machine.run.ring_full = true;
    ASSERT_EQ(machine.fire().size(), 1u);
    EXPECT_FALSE(machine.run.emitted[0].record);
}

TEST(Program, ReadsMembers)
{
    TestRequest request;
    request.values = {{"p->id"},      {"p->flags"},         {"p->low"},     {"p->high"},
                      {"p->list[3]"}, {"p->next->inner.y"}, {"p->cross"},   {"p->real"},
                      {"*p->list"},   {"(*p).id"},          {"(p + 1)->id"}};
    Machine machine(request);
    machine.run.set_context(rdi, node_at);
    machine.run.add_user_memory(node_at, node_bytes() + node_bytes());
    std::string record = machine.record();
    std::vector<int64_t> values;
    for (const Field &field : machine.program.layouts[0].fields)
        values.push_back(*Bytes(record).read<int64_t>(field.offset));
    double real = 2.5;
    int64_t bits;
    memcpy(&bits, &real, sizeof(bits));
    EXPECT_EQ(values, (std::vector<int64_t>{-5, 200, 5, -10, -300, int64_t(1) << 40, 0xabc, bits, 0,
                                            -5, -5}));
    EXPECT_EQ(machine.program.layouts[0].fields[7].shape, Shape::Float);
}

TEST(Program, SaysWhichNumberWasUnreadable)
{
    TestRequest request;
    request.values = {{"p->id"}, {"p->next->id"}, {"arg1"}};
    Machine machine(request);
    machine.run.set_context(rdi, node_at);
    std::string bytes = node_bytes();
    memset(&bytes[32], 0, 8);
    machine.run.add_user_memory(node_at, bytes);
    std::string record = machine.record();
    auto status = [&](size_t index) {
        return *Bytes(record).read<int32_t>(machine.field(index).status_offset);
    };
    EXPECT_EQ(status(0), 0);
    EXPECT_EQ(status(1), -EFAULT);
    EXPECT_EQ(machine.field(2).status_offset, 0u);
}

TEST(Program, ReadsOperandsInMemory)
{
    TestRequest request;
    request.predicate = "on_stack == -2 && item == 12";
    Machine machine(request);
    machine.run.set_context(rsp, node_at);
    machine.run.set_context(40, node_at);  // rbx
    machine.run.set_context(88, 4);        // rcx
    std::string bytes(64, '\0');
    memcpy(&bytes[8], "\xfe\xff\xff\xff", 4);
    bytes[4 * 8 - 16] = 12;
    machine.run.add_user_memory(node_at, bytes);
    EXPECT_EQ(machine.fire().size(), 1u);
}

TEST(Program, ComparesStrings)
{
    EXPECT_TRUE(holds("path == \"hello\""));
    EXPECT_FALSE(holds("path == \"hell\""));
    EXPECT_FALSE(holds("path == \"hello!\""));
    EXPECT_FALSE(holds("path == \"jello\""));
    EXPECT_FALSE(holds("path != \"hello\""));
    EXPECT_TRUE(holds("path != \"hello, world\""));
    EXPECT_TRUE(holds("STRCMP(\"hello\", path) && !STRCMP(\"hell\", path)"));
    EXPECT_TRUE(holds("p->text == \"hello\""));
    EXPECT_TRUE(holds("\"hello\" == path"));
    EXPECT_FALSE(holds("path == \"\""));
}

TEST(Program, ComparesPrefixes)
{
    EXPECT_TRUE(holds("starts_with(path, \"he\")"));
    EXPECT_TRUE(holds("starts_with(path, \"hello\")"));
    EXPECT_FALSE(holds("starts_with(path, \"hello!\")"));
    EXPECT_FALSE(holds("starts_with(path, \"ha\")"));
    EXPECT_TRUE(holds("starts_with($comm, \"work\") && !starts_with($comm, \"workers\")"));
}

TEST(Program, SearchesTextsOfAllKinds)
{
    EXPECT_TRUE(holds("contains($comm, \"orke\") && !contains($comm, \"wok\")"));
    EXPECT_FALSE(holds("contains(str(arg3), \"x\") || i == 5"));
    EXPECT_FALSE(holds("!contains(str(arg3, 3), \"x\")"));
}

TEST(Program, SwapsBytesAndKnowsLengths)
{
    EXPECT_TRUE(holds("bswap((short)i) == 0x500 && bswap(i) == 0x5000000"));
    EXPECT_TRUE(
        holds("bswap((unsigned long)i) == 0x500000000000000 && bswap(0x11223344) == "
              "0x44332211"));
    EXPECT_TRUE(holds("len(str(path, 4)) == 4 && port((short)i) == 0x500"));
}

TEST(Program, CalculatesExtremes)
{
    EXPECT_TRUE(holds("min(i, 7) == 5 && min(7, i) == 5 && max(i, 7) == 7 && max(-1, i) == 5"));
    EXPECT_TRUE(holds("min(-i, 3) == -5 && abs(-i) == 5 && abs(i) == 5 && abs(-3) == 3"));
    EXPECT_TRUE(holds("min(2, 3) == 2 && max(2, 3) == 3"));
}

TEST(Program, KnowsConstants)
{
    EXPECT_TRUE(holds("color == green && green == color && color != red && color == ns::green"));
    EXPECT_TRUE(holds("i == EIO && O_CREAT == 0100 && (i & O_WRONLY)"));
}

TEST(Program, ComparesCountedStringsByTheirLength)
{
    EXPECT_TRUE(holds("str(path, 4) == \"hell\""));
    EXPECT_TRUE(holds("str(path, i) == \"hello\""));
    EXPECT_FALSE(holds("str(path, i) == \"hell\""));
    EXPECT_TRUE(holds("buf(path, 6) == \"hello\\0\""));
    EXPECT_TRUE(holds("starts_with(str(path, i), \"hell\")"));
    EXPECT_FALSE(holds("starts_with(str(path, 3), \"hell\")"));
    EXPECT_FALSE(holds("starts_with(str(path, -i), \"h\")"));
    EXPECT_TRUE(holds("str(path, i - 5) == \"\""));
}

TEST(Program, ComparesArraysUpToTheirEnd)
{
    EXPECT_TRUE(holds("p->name == \"sixteen letters!\""));
    EXPECT_FALSE(holds("p->name == \"sixteen letters\""));
    EXPECT_TRUE(holds("starts_with(p->name, \"sixteen\")"));
}

TEST(Program, ComparesTheCommandName)
{
    EXPECT_TRUE(holds("$comm == \"worker\""));
    EXPECT_FALSE(holds("$comm == \"work\""));
}

// arg3 is an unmapped address: a condition that reads it is false.
TEST(Program, AConditionOnWhatCannotBeReadDoesNotHold)
{
    for (const char *condition :
         {"*(int *)arg3 == 0", "*(int *)arg3 != 0", "!*(int *)arg3", "!(*(int *)arg3 == 1)",
          "*(int *)arg3 || i == 5", "i == *(int *)arg3 || i == 5", "(*(int *)arg3 ? 1 : 1) == 1",
          "str(arg3) == \"\"", "str(arg3) != \"\"", "str(arg3, 3) != \"abc\"",
          "!STRCMP(\"x\", arg3)", "!starts_with(str(arg3), \"x\")", "str(arg3) == \"x\" || i == 5",
          "(str(arg3) == \"x\") + 1", "str(path, *(int *)arg3) != \"x\"",
          "((struct node *)arg3)->name != \"x\"", "((struct node *)arg3)->next->id != 7"}) {
        EXPECT_FALSE(holds(condition)) << condition;
    }
}

TEST(Program, WhatIsNotEvaluatedMayBeUnreadable)
{
    for (const char *condition : {"i == 5 || *(int *)arg3", "!(i == 4 && *(int *)arg3)",
                                  "i == 5 ? 1 : *(int *)arg3", "i == 5 || str(arg3) == \"x\"",
                                  "!(i == 4 && str(arg3) != \"x\")", "str(arg3, 0) == \"\""}) {
        EXPECT_TRUE(holds(condition)) << condition;
    }
}

TEST(Program, AConditionThatDividesByZeroDoesNotHold)
{
    for (const char *condition :
         {"1 / (i - 5) == 0", "!(1 / (i - 5))", "l % (i - 5) == 0", "u / (u & 0) != 1",
          "i == 5 && 7 % (seven - 7) < 7", "i / (i - 5) || 1", "-1 / (long)(i - 5) != 1"}) {
        EXPECT_FALSE(holds(condition)) << condition;
    }
    EXPECT_TRUE(holds("i == 5 || 1 / (i - 5)"));
}

TEST(Program, SaysWhichNumberWasDividedByZero)
{
    TestRequest request;
    request.values = {{"arg1 / arg2"}, {"i % i"}, {"str(path, 1 / arg2)"}, {"arg1 / 2"}};
    Machine machine(request);
    std::string record = machine.record();
    for (size_t index : {0, 1}) {
        const Field &field = machine.field(index);
        EXPECT_EQ(*Bytes(record).read<int32_t>(field.status_offset), -EDOM);
        EXPECT_EQ(*Bytes(record).read<uint64_t>(field.offset), 0u);
    }
    EXPECT_EQ(machine.text(2), (Machine::Text{-EDOM, 0, ""}));
    EXPECT_EQ(machine.field(3).status_offset, 0u);
}

TEST(Program, ReadsPagesThatWereNeverTouchedIfItMaySleep)
{
    EXPECT_FALSE(holds("path == \"hello\"", false, true));
    EXPECT_TRUE(holds("path == \"hello\"", true, true));
    EXPECT_TRUE(holds("str(path, i) == \"hello\"", true, true));
    EXPECT_TRUE(holds("p->id == -5", true, true));
}

TEST(Program, ReadsAStringAcrossUntouchedPages)
{
    TestRequest request;
    request.values = {{"path"}};
    request.request.string_bytes = 65536;
    request.request.sleepable = true;
    Machine machine(request);
    std::string text(65530, 'x');
    machine.run.set_context(rsi, text_at + 4090);
    machine.run.add_user_memory(text_at, std::string(4090, '\0') + text + '\0');
    for (uint64_t page = 0; page < 18; page++)
        machine.run.make_absent(text_at + page * 4096);
    EXPECT_EQ(machine.text(0), (Machine::Text{65530, 65530, text}));
}

// Reads a string of `length` bytes with `string_bytes` as the limit.
Machine::Text read_string(size_t length, uint32_t string_bytes, const char *value = "path")
{
    TestRequest request;
    request.values = {{value}};
    request.request.string_bytes = string_bytes;
    Machine machine(request);
    machine.run.set_context(rsi, text_at);
    machine.run.set_context(r8d, length);
    machine.run.add_user_memory(text_at, std::string(length, 'x') + '\0');
    return machine.text(0);
}

TEST(Program, TellsAStringThatJustFitsFromALongerOne)
{
    EXPECT_EQ(read_string(0, 4), (Machine::Text{0, 0, ""}));
    EXPECT_EQ(read_string(4, 4), (Machine::Text{4, 4, "xxxx"}));
    EXPECT_EQ(read_string(5, 4), (Machine::Text{4, 5, "xxxx"}));
    EXPECT_EQ(read_string(500, 4), (Machine::Text{4, 5, "xxxx"}));
}

TEST(Program, KeepsTheTrueLengthOfACountedString)
{
    EXPECT_EQ(read_string(3, 4, "str(path, i)"), (Machine::Text{3, 3, "xxx"}));
    EXPECT_EQ(read_string(500, 4, "str(path, i)"), (Machine::Text{4, 500, "xxxx"}));
    EXPECT_EQ(read_string(500, 4, "buf(path, -i)"), (Machine::Text{0, 0, ""}));
    EXPECT_EQ(read_string(500, 80, "str(path, 2)"), (Machine::Text{2, 2, "xx"}));
}

TEST(Program, SaysWhyAStringIsUnreadable)
{
    TestRequest request;
    request.values = {{"path"}, {"str(path, 4)"}, {"str(arg1)"}};
    Machine machine(request);
    machine.run.set_context(rsi, text_at);
    EXPECT_EQ(machine.text(0).status, -EFAULT);
    EXPECT_EQ(machine.text(1).status, -EFAULT);
    EXPECT_EQ(machine.text(1).length, 4u);
    EXPECT_EQ(machine.text(2).status, -output::null_pointer);
}

TEST(Program, TakesTheLargeLayoutForLongStringsOnly)
{
    for (size_t length : {0, 240, 241, 5000, 60000}) {
        SCOPED_TRACE(length);
        TestRequest request;
        request.values = {{"path"}, {"str(path, i)"}, {"i"}};
        request.request.string_bytes = 5000;
        Machine machine(request);
        std::string text(length, 'y');
        machine.run.set_context(rsi, text_at);
        machine.run.set_context(r8d, length);
        machine.run.add_user_memory(text_at, text + '\0');
        std::string kept = text.substr(0, 5000);
        auto shown = machine.text(0);
        EXPECT_EQ(shown.bytes, kept);
        EXPECT_EQ(shown.length, std::min<uint32_t>(length, 5001));
        EXPECT_EQ(machine.text(1).bytes, kept);
        EXPECT_EQ(machine.text(1).length, length);
        EXPECT_EQ(machine.run.emitted[0].tag >> 32, length > 240);
        EXPECT_EQ(machine.run.discarded, length > 240);
    }
}

TEST(Program, ShowsArraysAndTheCommandName)
{
    TestRequest request;
    request.values = {{"p->name"}, {"$comm"}};
    Machine machine(request);
    machine.run.set_context(rdi, node_at);
    machine.run.add_user_memory(node_at, node_bytes());
    EXPECT_EQ(machine.text(0), (Machine::Text{16, 16, "sixteen letters!"}));
    EXPECT_EQ(machine.text(1), (Machine::Text{6, 6, "worker"}));
}

TEST(Program, ShowsOperandsThatCannotBeReadAsUnknown)
{
    TestRequest request;
    request.values = {{"odd"}, {"odd", ValueForm::String}, {"arg1"}};
    Machine machine(request);
    machine.record();
    EXPECT_EQ(machine.field(0).shape, Shape::Unknown);
    EXPECT_NE(machine.field(0).why.find("xmm0"), std::string::npos) << machine.field(0).why;
    EXPECT_EQ(machine.field(1).shape, Shape::Unknown);
    EXPECT_EQ(machine.field(2).shape, Shape::Integer);
}

TEST(Program, TheFormatDecidesHowAPointerIsShown)
{
    TestRequest request;
    request.values = {{"path", ValueForm::Integer}, {"arg2", ValueForm::String}, {"path"}};
    Machine machine(request);
    machine.record();
    EXPECT_EQ(machine.field(0).shape, Shape::Integer);
    EXPECT_EQ(machine.field(1).shape, Shape::String);
    EXPECT_EQ(machine.field(2).shape, Shape::String);
}

TEST(Program, KnowsIds)
{
    TestRequest request;
    request.values = {{"$pid"}, {"$tid"}, {"$uid"}, {"$gid"}, {"$cpu"}, {"$cgroup"}};
    Machine machine(request);
    std::string record = machine.record();
    uint64_t expected[] = {100, 101, 10, 20, 3, 77};
    for (size_t i = 0; i < 6; i++)
        EXPECT_EQ(*Bytes(record).read<uint64_t>(machine.field(i).offset), expected[i]) << i;
    EXPECT_EQ(machine.run.helper_calls[BPF_FUNC_get_current_pid_tgid], 1u);
    EXPECT_EQ(machine.run.helper_calls[BPF_FUNC_get_current_uid_gid], 1u);
}

TEST(Program, AsksForIdsAgainWhereAnotherPathMayNotHaveAsked)
{
    // The left side decides the result alone. On that path, $pid is not read, and its slot of the
    // stack stays uninitialized.
    TestRequest request;
    request.predicate = "arg1 == 1 || $pid == 100";
    request.values = {{"$pid"}};
    Machine machine(request);
    machine.run.set_context(rdi, 1);
    EXPECT_EQ(machine.integer(0), 100u);
}

TEST(Program, ReadsTracepointFields)
{
    TestRequest request;
    request.scope = test::tracepoint_scope();
    request.predicate =
        "args->nr == -1 && args->comm == \"twelve bytes\" && args->where == \"/etc\" && "
        "args->values[1] == 9 && args->odd == 5";
    request.values = {{"args->filename@user"}, {"args->comm"}, {"args->where"}, {"args->filename"}};
    Machine machine(request);
    auto &context = machine.run.context;
    auto put = [&](size_t offset, auto value) { memcpy(&context[offset], &value, sizeof(value)); };
    put(8, int32_t(-1));
    put(16, text_at);
    memcpy(&context[24], "twelve bytes", 12);
    put(36, uint32_t(5 << 16 | 100));
    put(44, int32_t(9));
    put(52, int64_t(5));
    memcpy(&context[100], "/etc", 5);
    machine.run.add_user_memory(text_at, std::string("of the user\0", 12));
    EXPECT_EQ(machine.text(0).bytes, "of the user");
    EXPECT_EQ(machine.text(1), (Machine::Text{12, 12, "twelve bytes"}));
    EXPECT_EQ(machine.text(2), (Machine::Text{4, 4, "/etc"}));
    EXPECT_EQ(machine.text(3).status, -EFAULT);
}

}  // namespace
