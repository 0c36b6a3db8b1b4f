// Filters and check functions of generated programs.
#include <gtest/gtest.h>

#include "support/expr_machine.h"

using namespace uscope;
using namespace uscope::expr;
using namespace uscope::test;

namespace {

// Whether the filter accepts the process.
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

TEST(Program, FiltersByTheCgroupsMap)
{
    TestRequest request;
    request.request.filter.in_cgroups_map = true;
    Program program = test::must_compile(request);
    BpfInterpreter unknown(program), known(program);
    ASSERT_TRUE(unknown.run().has_value());
    EXPECT_TRUE(unknown.emitted.empty());
    std::string id(8, '\0');
    id[0] = char(known.cgroup);
    known.maps[MapSlot::Cgroups][id] = std::string(1, '\1');
    ASSERT_TRUE(known.run().has_value());
    EXPECT_EQ(known.emitted.size(), 1u);
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

TEST(Program, AsksBeforeThePredicate)
{
    TestRequest request;
    request.request.event_output.check_function = "ask";
    request.predicate = "arg1 == 1";
    request.values = {{"arg1"}};
    Machine machine(request);
    machine.run.set_context(rdi, 2);
    EXPECT_TRUE(machine.fire().empty());
    EXPECT_EQ(machine.run.asked, 1u);
    machine.run.set_context(rdi, 1);
    EXPECT_EQ(machine.fire().size(), 1u);
}

TEST(Program, AsksOnlyWhenTheConditionHolds)
{
    TestRequest request;
    request.request.event_output.check_function = "ask";
    request.condition = "arg1 == 1";
    request.values = {{"arg1"}};
    Machine machine(request);
    machine.run.set_context(rdi, 2);
    EXPECT_TRUE(machine.fire().empty());
    EXPECT_EQ(machine.run.asked, 0u);
    machine.run.set_context(rdi, 1);
    EXPECT_EQ(machine.fire().size(), 1u);
    EXPECT_EQ(machine.run.asked, 1u);
}

TEST(Program, AnEventThatIsAskedForIsNotWanted)
{
    TestRequest request;
    request.request.event_output.check_function = "ask";
    request.values = {{"arg1"}};
    Machine machine(request);
    machine.run.answer = 1;
    EXPECT_TRUE(machine.fire().empty());
}

TEST(Program, OtherProcessesAreNotAskedFor)
{
    TestRequest request;
    request.request.event_output.check_function = "ask";
    request.request.filter.tgids = {4711};
    Machine machine(request);
    EXPECT_TRUE(machine.fire().empty());
    EXPECT_EQ(machine.run.asked, 0u);
}

}  // namespace
