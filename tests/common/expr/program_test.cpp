// What generated programs do, on made-up memory.
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "support/bpf_interpreter.h"
#include "support/expr_program.h"

using namespace uscope;
using namespace uscope::expr;
using uscope::test::BpfInterpreter;
using uscope::test::TestRequest;

namespace {

constexpr uint32_t rax = 80, rdi = 112, rsi = 104, r8d = 72, r14 = 8, rsp = 152;
constexpr uint64_t text_at = 0x7000'0000'1000, node_at = 0x7000'0000'5000;

struct Machine {
    Program program;
    BpfInterpreter run{program};

    Machine(const Machine &) = delete;  // `run` refers to `program`
    explicit Machine(Program compiled) : program(std::move(compiled)) {}
    explicit Machine(TestRequest &request) : program(test::must_compile(request)) {}

    // The records given to the emit function.
    const std::vector<BpfInterpreter::Emitted> &fire()
    {
        auto result = run.run();
        EXPECT_TRUE(result.has_value()) << result.error().text << "\n" << listing(program);
        return run.emitted;
    }

    std::string record()
    {
        fire();
        if (run.emitted.size() != 1 || !run.emitted[0].record) {
            ADD_FAILURE() << "no record";
            return {};
        }
        return *run.emitted[0].record;
    }

    const Field &field(size_t index)
    {
        return program.layouts.at(run.emitted.at(0).tag >> 32).fields.at(index);
    }

    uint64_t integer(size_t index)
    {
        std::string bytes = record();
        return Bytes(bytes).read<uint64_t>(field(index).offset).value_or(0xbad);
    }

    struct Text {
        int32_t status;
        uint32_t length;
        std::string bytes;
        bool operator==(const Text &) const = default;
    };
    Text text(size_t index)
    {
        std::string bytes = run.emitted.empty() ? record() : *run.emitted[0].record;
        const Field &where = field(index);
        auto slot = Bytes(bytes).read<StringSlot>(where.offset).value();
        EXPECT_LE(slot.status, int32_t(where.capacity));
        Text result = {slot.status, slot.length, {}};
        if (slot.status > 0)
            result.bytes = bytes.substr(where.offset + sizeof(slot), slot.status);
        return result;
    }
};

std::ostream &operator<<(std::ostream &out, const Machine::Text &text)
{
    return out << text.status << " " << text.length << " \"" << text.bytes.substr(0, 40) << "\"";
}

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

// Does the condition hold, with path -> "hello", p -> a node, $comm "worker"?
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

// arg3 is an address of nothing.
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

// A string of `length` bytes where `string_bytes` fit.
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
    request.values = {{"path"}, {"str(path, 4)"}};
    Machine machine(request);
    EXPECT_EQ(machine.text(0).status, -EFAULT);
    EXPECT_EQ(machine.text(1).status, -EFAULT);
    EXPECT_EQ(machine.text(1).length, 4u);
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
    request.values = {{"odd"}, {"odd", Wanted::String}, {"arg1"}};
    Machine machine(request);
    machine.record();
    EXPECT_EQ(machine.field(0).shape, Shape::Unknown);
    EXPECT_EQ(machine.field(1).shape, Shape::Unknown);
    EXPECT_EQ(machine.field(2).shape, Shape::Integer);
}

TEST(Program, TheFormatDecidesHowAPointerIsShown)
{
    TestRequest request;
    request.values = {{"path", Wanted::Integer}, {"arg2", Wanted::String}, {"path"}};
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
    // The left side is decided without $pid: its slot on the stack is not filled on that path.
    TestRequest request;
    request.predicate = "arg1 == 1 || $pid == 100";
    request.values = {{"$pid"}};
    Machine machine(request);
    machine.run.set_context(rdi, 1);
    EXPECT_EQ(machine.integer(0), 100u);
}

// Is the process wanted?
template <class Change>
bool wanted(Change change, uint64_t pid_tgid = uint64_t(100) << 32 | 101)
{
    TestRequest request;
    change(request.request.filter);
    Machine machine(request);
    machine.run.pid_tgid = pid_tgid;
    return machine.fire().size() == 1;
}

TEST(Program, FiltersProcesses)
{
    EXPECT_TRUE(wanted([](ProcessFilter &f) { f.tgids = {5, 100, 7}; }));
    EXPECT_FALSE(wanted([](ProcessFilter &f) { f.tgids = {5, 101}; }));
    EXPECT_TRUE(wanted([](ProcessFilter &f) { f.tid = 101; }));
    EXPECT_FALSE(wanted([](ProcessFilter &f) { f.tid = 100; }));
    EXPECT_FALSE(wanted([](ProcessFilter &f) { f.not_tgid = 100; }));
    EXPECT_TRUE(wanted([](ProcessFilter &f) { f.uid = 10; }));
    EXPECT_FALSE(wanted([](ProcessFilter &f) { f.uid = 20; }));
    EXPECT_TRUE(wanted([](ProcessFilter &f) { f.comms = {"bash", "worker"}; }));
    EXPECT_TRUE(wanted([](ProcessFilter &f) { f.comms = {"worker", "bash"}; }));
    EXPECT_FALSE(wanted([](ProcessFilter &f) { f.comms = {"work", "workers"}; }));
    EXPECT_FALSE(wanted([](ProcessFilter &f) { f.in_cgroup = true; }));
    EXPECT_FALSE(wanted([](ProcessFilter &f) { f.tgids = {100}, f.uid = 3; }));
}

TEST(Program, FiltersByTheTargetsMap)
{
    TestRequest request;
    request.request.filter.in_targets_map = true;
    Program program = test::must_compile(request);
    BpfInterpreter unknown(program), known(program);
    ASSERT_TRUE(unknown.run().has_value());
    EXPECT_TRUE(unknown.emitted.empty());
    known.maps[MapSlot::Targets][std::string("\x64\0\0\0", 4)] = std::string(4, '\0');
    ASSERT_TRUE(known.run().has_value());
    EXPECT_EQ(known.emitted.size(), 1u);
}

TEST(Program, CountsIdsInItsOwnNamespace)
{
    TestRequest request;
    request.request.filter.tgids = {7};
    request.request.filter.pidns_device = 4;
    request.request.filter.pidns_inode = 99;
    request.values = {{"$tid"}};
    Machine machine(request);
    machine.run.ns_pid_tgid = uint64_t(7) << 32 | 8;
    EXPECT_EQ(machine.integer(0), 8u);
    Machine outside(request);
    EXPECT_TRUE(outside.fire().empty());
}

// An entry and the return from it, as x86-64 has it: the return address is gone.
struct Call {
    TestRequest request;
    uint64_t entry_sp = 0x7fff'0000;

    explicit Call(std::string predicate, std::vector<TestRequest::Value> values)
    {
        request.on_return();
        request.predicate = std::move(predicate);
        request.values = std::move(values);
    }

    std::unique_ptr<Machine> run(uint64_t return_sp)
    {
        auto entry = request.compile_entry();
        EXPECT_TRUE(entry && *entry);
        Machine at_entry{**entry};
        at_entry.run.set_context(rsp, entry_sp);
        at_entry.run.set_context(rdi, 42);
        at_entry.run.set_context(rsi, text_at);
        at_entry.run.add_user_memory(text_at, std::string("hello\0", 6));
        at_entry.run.now_ns = 1000;
        uint32_t bytes = at_entry.program.call_bytes;
        at_entry.run.maps[MapSlot::CallZero][std::string(4, '\0')] = std::string(bytes, '\0');
        at_entry.fire();
        // What was written in place of the map's value.
        auto at_return = std::make_unique<Machine>(request);
        at_return->run.maps[MapSlot::Calls] = at_entry.run.saved_calls();
        at_return->run.set_context(rsp, return_sp);
        at_return->run.set_context(rax, 7);
        at_return->run.now_ns = 5000;
        return at_return;
    }
};

TEST(Program, KnowsAtReturnWhatWasAtEntry)
{
    for (uint32_t string_bytes : {20, 80, 3000}) {
        SCOPED_TRACE(string_bytes);
        Call call(
            "$latency == 4000 && $entry(arg1) == 42 && $entry(path) == \"hello\" && retval == 7",
            {{"$entry(arg1) + 1"}, {"$latency"}, {"$entry(path)"}, {"$entry(str(path, 3))"}});
        call.request.request.string_bytes = string_bytes;
        auto returned = call.run(call.entry_sp + 8);
        Machine &machine = *returned;
        std::string record = machine.record();
        EXPECT_EQ(*Bytes(record).read<uint64_t>(machine.field(0).offset), 43u);
        EXPECT_EQ(*Bytes(record).read<uint64_t>(machine.field(1).offset), 4000u);
        EXPECT_EQ(machine.text(2), (Machine::Text{5, 5, "hello"}));
        EXPECT_EQ(machine.text(3), (Machine::Text{3, 3, "hel"}));
        EXPECT_TRUE(machine.run.maps[MapSlot::Calls].empty());
    }
}

TEST(Program, ForgetsACallThatTheConditionRejects)
{
    Call call("$entry(arg1) == 43", {});
    auto machine = call.run(call.entry_sp + 8);
    EXPECT_TRUE(machine->fire().empty());
    EXPECT_TRUE(machine->run.maps[MapSlot::Calls].empty());
}

// The words of a Go goroutine that matter: where its stack ends, and a call on it.
constexpr uint64_t goroutine = 0xc000'0000'1000, stack_hi = 0xc000'0100'0000;

void set_goroutine(Machine &machine, uint64_t hi, uint64_t depth)
{
    machine.run.set_context(r14, goroutine);
    machine.run.set_context(rsp, hi - depth);
    machine.run.add_user_memory(goroutine + 8, {reinterpret_cast<const char *>(&hi), sizeof(hi)});
}

TestRequest go_call()
{
    TestRequest request;
    request.on_return();
    request.request.call_key = CallKey::Goroutine;
    request.request.probe = 3;
    request.values = {{"$entry(arg1)"}};
    return request;
}

// What the entry leaves in the map Calls.
auto saved_go_call(TestRequest &request, uint64_t hi, uint64_t depth)
{
    auto entry = request.compile_entry();
    EXPECT_TRUE(entry && *entry);
    Machine at_entry{**entry};
    set_goroutine(at_entry, hi, depth);
    at_entry.run.set_context(rdi, 42);
    at_entry.fire();
    return at_entry.run.saved_calls();
}

TEST(Program, FindsACallOfAGoroutineWhoseStackHasMoved)
{
    TestRequest request = go_call();
    auto calls = saved_go_call(request, stack_hi, 0x1238);
    ASSERT_EQ(calls.size(), 1u);
    Bytes key(calls.begin()->first);
    EXPECT_EQ(key.read<uint32_t>(4), 0x1238u);
    EXPECT_EQ(key.read<uint64_t>(8), goroutine | uint64_t(3) << 48);

    Machine moved(request);
    moved.run.maps[MapSlot::Calls] = calls;
    set_goroutine(moved, 0xc000'0900'0000, 0x1238);
    EXPECT_EQ(moved.integer(0), 42u);
    EXPECT_TRUE(moved.run.maps[MapSlot::Calls].empty());

    Machine deeper(request);
    deeper.run.maps[MapSlot::Calls] = calls;
    set_goroutine(deeper, stack_hi, 0x1240);
    EXPECT_TRUE(deeper.fire().empty());
}

TEST(Program, CountsAGoCallWithoutAGoroutineAsLost)
{
    TestRequest request = go_call();
    for (bool is_readable : {false, true}) {
        Machine machine(request);
        if (is_readable)  // but no such stack pointer belongs to it
            set_goroutine(machine, stack_hi, uint64_t(5) << 32);
        machine.fire();
        ASSERT_EQ(machine.run.emitted.size(), 1u);
        EXPECT_FALSE(machine.run.emitted[0].record);
    }
}

TEST(Program, FiltersAGoCallByThreadAtItsReturnOnly)
{
    TestRequest request = go_call();
    request.request.filter.tid = 8;
    EXPECT_EQ(saved_go_call(request, stack_hi, 0x1238).size(), 1u);
    Machine machine(request);
    set_goroutine(machine, stack_hi, 0x1238);
    machine.run.pid_tgid = uint64_t(7) << 32 | 9;
    EXPECT_TRUE(machine.fire().empty());
}

TEST(Program, IgnoresAReturnWithoutEntry)
{
    Call call("", {{"$latency"}});
    auto machine = call.run(call.entry_sp + 16);
    EXPECT_TRUE(machine->fire().empty());
    EXPECT_EQ(machine->run.maps[MapSlot::Calls].size(), 1u);
}

TEST(Program, ComparesASavedStringThatWasCutAsUnequal)
{
    Call call("$entry(path) == \"hel\"", {});
    call.request.request.string_bytes = 3;
    EXPECT_TRUE(call.run(call.entry_sp + 8)->fire().empty());
    Call prefix("starts_with($entry(path), \"hel\")", {});
    prefix.request.request.string_bytes = 3;
    EXPECT_EQ(prefix.run(prefix.entry_sp + 8)->fire().size(), 1u);
}

TEST(Program, AConditionOnWhatWasUnreadableAtEntryDoesNotHold)
{
    for (const char *condition :
         {"!$entry(*(int *)arg3)", "$entry(*(int *)arg3) == 0 || retval == 7",
          "$entry(str(arg3)) != \"x\"", "!starts_with($entry(str(arg3, 3)), \"x\")",
          "!$entry(1 / (arg1 - 42))"}) {
        Call call(condition, {});
        EXPECT_TRUE(call.run(call.entry_sp + 8)->fire().empty()) << condition;
    }
}

TEST(Program, SaysThatAValueWasUnreadableAtEntry)
{
    Call call("", {{"$entry(*(int *)arg3)"}, {"$entry(str(arg3))"}, {"$entry(*path)"}});
    auto machine = call.run(call.entry_sp + 8);
    std::string record = machine->record();
    auto status = [&](size_t index) {
        return *Bytes(record).read<int32_t>(machine->field(index).status_offset);
    };
    EXPECT_EQ(status(0), -EFAULT);
    EXPECT_EQ(machine->text(1).status, -EFAULT);
    EXPECT_EQ(status(2), 0);
    EXPECT_EQ(*Bytes(record).read<uint64_t>(machine->field(2).offset), uint64_t('h'));
}

TEST(Program, FindsNumbersBehindALongStringOfTheEntry)
{
    Call call("$entry(path) != \"x\" && $entry(arg1) == 42", {});
    call.request.request.string_bytes = 65536;
    EXPECT_EQ(call.run(call.entry_sp + 8)->fire().size(), 1u);
}

TEST(Program, NeedsNoEntryProgramWithoutEntryValues)
{
    TestRequest request;
    request.on_return().values = {{"retval"}};
    auto entry = request.compile_entry();
    ASSERT_TRUE(entry.has_value());
    EXPECT_FALSE(entry->has_value());
}

TEST(Program, GivesKeysWithNothingUndefinedInThem)
{
    for (size_t length : {0, 1, 7, 8, 20}) {
        TestRequest request;
        request.as_key().values = {{"path"}, {"i"}};
        request.request.header_bytes = 8;
        request.request.string_bytes = 20;
        request.measured = "arg1 + 1";
        Machine machine(request);
        machine.run.set_context(rdi, 41);
        machine.run.set_context(rsi, text_at);
        machine.run.add_user_memory(text_at, std::string(length, 'x') + '\0');
        std::string key = machine.record();
        EXPECT_EQ(machine.run.emitted[0].measured, 42u);
        EXPECT_EQ(machine.run.emitted[0].status, 0);
        EXPECT_EQ(machine.text(0),
                  (Machine::Text{int(length), uint32_t(length), std::string(length, 'x')}));
        // The interpreter's stack is full of these.
        EXPECT_EQ(key.find('\xa5'), key.npos);
    }
}

TEST(Program, AsksBeforeThePredicate)
{
    TestRequest request;
    request.request.ask = "ask";
    request.predicate = "arg1 == 1";
    request.values = {{"arg1"}};
    Machine machine(request);
    machine.run.set_context(rdi, 2);
    EXPECT_TRUE(machine.fire().empty());
    EXPECT_EQ(machine.run.asked, 1u);
    machine.run.set_context(rdi, 1);
    EXPECT_EQ(machine.fire().size(), 1u);
}

TEST(Program, AnEventThatIsAskedForIsNotWanted)
{
    TestRequest request;
    request.request.ask = "ask";
    request.values = {{"arg1"}};
    Machine machine(request);
    machine.run.answer = 1;
    EXPECT_TRUE(machine.fire().empty());
}

TEST(Program, OtherProcessesAreNotAskedFor)
{
    TestRequest request;
    request.request.ask = "ask";
    request.request.filter.tgids = {4711};
    Machine machine(request);
    EXPECT_TRUE(machine.fire().empty());
    EXPECT_EQ(machine.run.asked, 0u);
}

TEST(Program, CountsWithoutAKey)
{
    TestRequest request;
    request.as_key();
    Machine machine(request);
    ASSERT_EQ(machine.fire().size(), 1u);
    EXPECT_FALSE(machine.run.emitted[0].record);
    EXPECT_EQ(machine.run.emitted[0].measured, 0u);
}

TEST(Program, SaysThatWhatIsMeasuredWasUnreadable)
{
    TestRequest request;
    request.as_key().measured = "p->id";
    Machine machine(request);
    ASSERT_EQ(machine.fire().size(), 1u);
    EXPECT_EQ(machine.run.emitted[0].status, -EFAULT);
}

// As people count: below, within, above.
uint64_t bucket_of(__int128 value, const output::LinearScale &scale)
{
    if (value < scale.min)
        return 0;
    if (value >= scale.max)
        return scale.buckets() - 1;
    return uint64_t((value - scale.min) / __int128(scale.step)) + 1;
}

TEST(Program, FindsTheLinearBucketOfEveryValue)
{
    const output::LinearScale scales[] = {{0, 100, 10},
                                          {-100, 100, 7},
                                          {-20, -10, 3},
                                          {-10, 0, 10},
                                          {1, 2, 1},
                                          {INT64_MAX - 9, INT64_MAX, 4},
                                          {INT64_MIN, INT64_MIN + 9, 4},
                                          {5, 1000, 995},
                                          {INT64_MIN, INT64_MAX, uint64_t(1) << 62}};
    for (const output::LinearScale &scale : scales) {
        for (bool is_signed : {false, true}) {
            TestRequest request;
            request.as_key().measured = is_signed ? "(long)arg1" : "arg1";
            request.request.buckets = scale;
            Program program = test::must_compile(request);
            for (uint64_t near : {uint64_t(scale.min), uint64_t(scale.max), uint64_t(0),
                                  uint64_t(INT64_MAX), uint64_t(scale.min) + scale.step}) {
                for (uint64_t value = near - 3; value != near + 4; value++) {
                    BpfInterpreter run(program);
                    run.set_context(rdi, value);
                    ASSERT_TRUE(run.run().has_value());
                    __int128 number = is_signed ? __int128(int64_t(value)) : __int128(value);
                    ASSERT_EQ(run.emitted.at(0).measured, bucket_of(number, scale))
                        << value << (is_signed ? " signed " : " ") << scale.min << " " << scale.max
                        << "\n"
                        << listing(program);
                }
            }
        }
    }
}

// What of the entry a return wants decides: one number fits into a session's cookie.
TEST(Program, IsASessionWhenOneSavedNumberIsEnough)
{
    struct Case {
        std::vector<TestRequest::Value> values;
        const char *measured, *predicate;
        bool is_session;
    };
    for (const Case &wanted :
         {Case{{}, "$latency", "", true}, Case{{}, "$latency", "retval == 3 && $latency > 5", true},
          Case{{{"retval"}}, "$latency", "", true}, Case{{{"$entry(arg1)"}}, "", "", true},
          Case{{{"$entry(arg1)"}}, "$entry(arg1)", "$entry(arg1) > 3", true},
          Case{{{"$entry(arg1)"}, {"$entry(arg2)"}}, "", "", false},
          Case{{{"$entry(arg1)"}}, "$latency", "", false}, Case{{{"$entry(path)"}}, "", "", false},
          Case{{{"$entry(p->id)"}}, "", "", false}, Case{{{"retval"}}, "", "", false}}) {
        TestRequest request;
        request.on_return().as_key().values = wanted.values;
        request.measured = wanted.measured;
        request.predicate = wanted.predicate;
        request.request.session = SessionCalls{1, 2, false};
        Program program = test::must_compile(request);
        EXPECT_EQ(program.is_session, wanted.is_session) << listing(program);
        auto entry = request.compile_entry();
        ASSERT_TRUE(entry.has_value());
        EXPECT_EQ(entry->has_value(), !wanted.is_session && program.call_bytes) << listing(program);
        request.request.session.reset();
        EXPECT_FALSE(test::must_compile(request).is_session);
    }
}

TEST(Program, AKeyThatIsTooLargeForTheStackSaysTheWayOut)
{
    TestRequest request;
    request.as_key().values = {{"path"}, {"str(path, i)"}};
    request.request.string_bytes = 240;
    auto program = request.compile();
    ASSERT_FALSE(program);
    EXPECT_NE(program.error().text.find("-z"), std::string::npos);
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
