// Programs at a function's return use the values that the program at its entry has saved.
#include <gtest/gtest.h>

#include "support/expr_machine.h"

using namespace uscope;
using namespace uscope::expr;
using namespace uscope::test;

namespace {

// Runs the program for a function's entry, and prepares the one for its return. On x86-64, the
// return instruction pops the return address, so the stack pointers at entry and return differ by
// 8.
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
        // The values that the program wrote into the map.
        auto at_return = std::make_unique<Machine>(request);
        at_return->run.maps[MapSlot::Calls] = at_entry.run.contents(MapSlot::Calls);
        at_return->run.set_context(rsp, return_sp);
        at_return->run.set_context(rax, 7);
        at_return->run.now_ns = 5000;
        return at_return;
    }
};

TEST(ProgramCalls, KnowsAtReturnWhatWasAtEntry)
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

TEST(ProgramCalls, ForgetsACallThatTheConditionRejects)
{
    Call call("$entry(arg1) == 43", {});
    auto machine = call.run(call.entry_sp + 8);
    EXPECT_TRUE(machine->fire().empty());
    EXPECT_TRUE(machine->run.maps[MapSlot::Calls].empty());
}

// The address of a goroutine, and the upper end of its stack.
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
    request.request.calls.key = CallIdentity::Goroutine;
    request.request.probe = 3;
    request.values = {{"$entry(arg1)"}};
    return request;
}

// Returns the contents of the map Calls after the program for a Go function's entry has run.
auto saved_go_call(TestRequest &request, uint64_t hi, uint64_t depth)
{
    auto entry = request.compile_entry();
    EXPECT_TRUE(entry && *entry);
    Machine at_entry{**entry};
    set_goroutine(at_entry, hi, depth);
    at_entry.run.set_context(rdi, 42);
    at_entry.run.maps[MapSlot::CallZero][std::string(4, '\0')] =
        std::string((*entry)->call_bytes, '\0');
    at_entry.fire();
    return at_entry.run.contents(MapSlot::Calls);
}

TEST(ProgramCalls, FindsACallOfAGoroutineWhoseStackHasMoved)
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

// Sets the counter of inserted records, minus half the size of the map.
void set_inserted(Machine &machine, int64_t count)
{
    machine.run.maps[MapSlot::CallZero][std::string("\1\0\0\0", 4)] =
        std::string(reinterpret_cast<const char *>(&count), sizeof(count));
}

TEST(ProgramCalls, KeepsARecordForTheNextCallUntilTheMapMayDropSome)
{
    TestRequest request = go_call();
    auto calls = saved_go_call(request, stack_hi, 0x1238);
    ASSERT_EQ(calls.size(), 1u);
    for (int64_t inserted : {-5, 0, 1}) {
        Machine machine(request);
        machine.run.maps[MapSlot::Calls] = calls;
        set_inserted(machine, inserted);
        set_goroutine(machine, stack_hi, 0x1238);
        EXPECT_EQ(machine.integer(0), 42u);
        auto left = machine.run.contents(MapSlot::Calls);
        ASSERT_EQ(left.size(), inserted > 0 ? 0u : 1u);
        if (inserted > 0)
            continue;
        // It is not in use: a second return does not find it.
        EXPECT_EQ(Bytes(left.begin()->second).read<uint64_t>(0), 0u);
        Machine again(request);
        again.run.maps[MapSlot::Calls] = left;
        set_inserted(again, inserted);
        set_goroutine(again, stack_hi, 0x1238);
        EXPECT_TRUE(again.fire().empty());
    }
}

TEST(ProgramCalls, CountsACallAsAbandonedIfItsRecordIsStillInUse)
{
    TestRequest request = go_call();
    auto calls = saved_go_call(request, stack_hi, 0x1238);
    ASSERT_EQ(calls.size(), 1u);
    auto entry = request.compile_entry();
    std::string abandoned("\2\0\0\0", 4), zero(8, '\0');
    for (bool is_used : {true, false}) {
        Machine machine{**entry};
        auto &left = machine.run.maps[MapSlot::Calls] = calls;
        if (!is_used)
            left.begin()->second.replace(0, 8, zero);
        machine.run.maps[MapSlot::CallZero][abandoned] = zero;
        set_goroutine(machine, stack_hi, 0x1238);
        machine.run.set_context(rdi, 43);
        machine.fire();
        auto values = machine.run.contents(MapSlot::CallZero);
        auto count = Bytes(values[abandoned]).read<uint64_t>(0);
        EXPECT_EQ(count, is_used ? 1u : 0u);
        auto saved = machine.run.contents(MapSlot::Calls);
        EXPECT_NE(Bytes(saved.begin()->second).read<uint64_t>(0), 0u);
    }
}

TEST(ProgramCalls, FindsTheOnlyCallOfAGoroutineAtAnyDepth)
{
    TestRequest request = go_call();
    request.request.calls.key = CallIdentity::OnlyOfGoroutine;
    auto calls = saved_go_call(request, stack_hi, 0x1238);
    ASSERT_EQ(calls.size(), 1u);
    Bytes key(calls.begin()->first);
    EXPECT_EQ(key.read<uint32_t>(4), 0u);
    EXPECT_EQ(key.read<uint64_t>(8), goroutine | uint64_t(3) << 48);

    Machine deeper(request);
    deeper.run.maps[MapSlot::Calls] = calls;
    set_goroutine(deeper, stack_hi, 0x1240);
    EXPECT_EQ(deeper.integer(0), 42u);
    EXPECT_TRUE(deeper.run.maps[MapSlot::Calls].empty());

    Machine other(request);
    other.run.maps[MapSlot::Calls] = calls;
    set_goroutine(other, stack_hi, 0x1238);
    other.run.set_context(r14, goroutine + 0x1000);
    EXPECT_TRUE(other.fire().empty());
}

TEST(ProgramCalls, CountsAGoCallWithoutAGoroutineAsLost)
{
    TestRequest request = go_call();
    for (bool is_readable : {false, true}) {
        Machine machine(request);
        if (is_readable)  // the stack pointer is not on the goroutine's stack
            set_goroutine(machine, stack_hi, uint64_t(5) << 32);
        machine.fire();
        ASSERT_EQ(machine.run.emitted.size(), 1u);
        EXPECT_FALSE(machine.run.emitted[0].record);
    }
}

// The map drops the oldest calls when it is full, so a missing call may be lost. If the map was
// never full, the missing call began before tracing, and is not counted as lost.
TEST(ProgramCalls, CountsAGoCallThatMayHaveBeenForgottenAsLost)
{
    TestRequest request = go_call();
    std::string index("\1\0\0\0", 4);
    for (int64_t count : {-1, 0, 1}) {
        std::string value(reinterpret_cast<const char *>(&count), sizeof(count));
        Machine machine(request);
        machine.run.maps[MapSlot::CallZero][index] = value;
        set_goroutine(machine, stack_hi, 0x1238);
        machine.fire();
        EXPECT_EQ(machine.run.emitted.size(), count > 0);
    }
}

TEST(ProgramCalls, FiltersAGoCallByThreadAtItsReturnOnly)
{
    TestRequest request = go_call();
    request.request.filter.tid = 8;
    auto calls = saved_go_call(request, stack_hi, 0x1238);
    EXPECT_EQ(calls.size(), 1u);
    Machine machine(request);
    machine.run.maps[MapSlot::Calls] = calls;
    set_goroutine(machine, stack_hi, 0x1238);
    machine.run.pid_tgid =
        (Bytes(calls.begin()->first).read<uint32_t>(0).value_or(0) * 1ULL) << 32 | 9;
    EXPECT_TRUE(machine.fire().empty());
    EXPECT_TRUE(machine.run.maps[MapSlot::Calls].empty());
}

TEST(ProgramCalls, IgnoresAReturnWithoutEntry)
{
    Call call("", {{"$latency"}});
    auto machine = call.run(call.entry_sp + 16);
    EXPECT_TRUE(machine->fire().empty());
    EXPECT_EQ(machine->run.maps[MapSlot::Calls].size(), 1u);
}

TEST(ProgramCalls, CountsAReturnWhoseEntryMayHaveBeenForgottenAsLost)
{
    for (int64_t count : {-1, 0, 1}) {
        Call call("", {{"$latency"}});
        Machine machine(call.request);
        machine.run.maps[MapSlot::CallZero][std::string("\1\0\0\0", 4)] =
            std::string(reinterpret_cast<const char *>(&count), sizeof(count));
        machine.fire();
        ASSERT_EQ(machine.run.emitted.size(), count > 0);
        EXPECT_TRUE(count <= 0 || !machine.run.emitted[0].record);
    }
}

TEST(ProgramCalls, ComparesASavedStringThatWasCutAsUnequal)
{
    Call call("$entry(path) == \"hel\"", {});
    call.request.request.string_bytes = 3;
    EXPECT_TRUE(call.run(call.entry_sp + 8)->fire().empty());
    Call prefix("starts_with($entry(path), \"hel\")", {});
    prefix.request.request.string_bytes = 3;
    EXPECT_EQ(prefix.run(prefix.entry_sp + 8)->fire().size(), 1u);
}

TEST(ProgramCalls, AConditionOnWhatWasUnreadableAtEntryDoesNotHold)
{
    for (const char *condition :
         {"!$entry(*(int *)arg3)", "$entry(*(int *)arg3) == 0 || retval == 7",
          "$entry(str(arg3)) != \"x\"", "!starts_with($entry(str(arg3, 3)), \"x\")",
          "!$entry(1 / (arg1 - 42))"}) {
        Call call(condition, {});
        EXPECT_TRUE(call.run(call.entry_sp + 8)->fire().empty()) << condition;
    }
}

TEST(ProgramCalls, SaysThatAValueWasUnreadableAtEntry)
{
    Call call("", {{"$entry(*(int *)arg3)"}, {"$entry(str(arg3))"}, {"$entry(*path)"}});
    auto machine = call.run(call.entry_sp + 8);
    std::string record = machine->record();
    auto status = [&](size_t index) {
        return *Bytes(record).read<int32_t>(machine->field(index).status_offset);
    };
    EXPECT_EQ(status(0), -EFAULT);
    EXPECT_EQ(machine->text(1).status, -output::null_pointer);
    EXPECT_EQ(status(2), 0);
    EXPECT_EQ(*Bytes(record).read<uint64_t>(machine->field(2).offset), uint64_t('h'));
}

TEST(ProgramCalls, FindsNumbersBehindALongStringOfTheEntry)
{
    Call call("$entry(path) != \"x\" && $entry(arg1) == 42", {});
    call.request.request.string_bytes = 65536;
    EXPECT_EQ(call.run(call.entry_sp + 8)->fire().size(), 1u);
}

TEST(ProgramCalls, NeedsNoEntryProgramWithoutEntryValues)
{
    TestRequest request;
    request.on_return().values = {{"retval"}};
    auto entry = request.compile_entry();
    ASSERT_TRUE(entry.has_value());
    EXPECT_FALSE(entry->has_value());
}

// If the return needs at most one number from the entry, one program serves both (a session of the
// kernel): the session's cookie has room for one number.
TEST(ProgramCalls, IsASessionWhenOneSavedNumberIsEnough)
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
        request.request.calls.session = SessionCalls{1, 2, false};
        Program program = test::must_compile(request);
        EXPECT_EQ(program.is_session, wanted.is_session) << listing(program);
        auto entry = request.compile_entry();
        ASSERT_TRUE(entry.has_value());
        EXPECT_EQ(entry->has_value(), !wanted.is_session && program.call_bytes) << listing(program);
        request.request.calls.session.reset();
        EXPECT_FALSE(test::must_compile(request).is_session);
    }
}

}  // namespace
