#include "runtimes/hooks.h"

#include <gtest/gtest.h>

#include "support/value_names.h"

namespace uscope::runtimes {
namespace {

using lang::Event;
using lang::Role;

lang::Runtime runtime()
{
    lang::Runtime runtime;
    runtime.language = &lang::java;
    runtime.pid = 181;
    runtime.object.path = "/usr/lib/jvm/libjvm.so";
    for (const char *key : {"hotspot:method__entry", ":collect"})
        runtime.probes[key] = runtime.object.path;
    return runtime;
}

const lang::Hook method = {Event::MethodEntry,
                           "hotspot",
                           "method__entry",
                           {{Role::Class, "str(arg2, arg3)"}, {Role::Method, "str(arg4, arg5)"}}};

TEST(ParseRow, HasTheValuesThatAreAskedForInTheirOrder)
{
    auto parsed = hook_request(runtime(), method, {Role::Method, Role::Line, Role::Class});
    ASSERT_TRUE(parsed) << parsed.error().text;
    ASSERT_EQ(test::value_names(*parsed), (test::Names{"method", "class"}));
    EXPECT_EQ(parsed->values[0].node->children[0]->text, "arg4");
    EXPECT_EQ(parsed->lookup.owner, 181);
    EXPECT_EQ(parsed->label, parsed->spec.source);
    EXPECT_FALSE(parsed->condition);
}

TEST(ParseRow, IsOfTheEventOnlyUnderItsCondition)
{
    lang::Hook hook = method;
    hook.condition = "arg1 == 3";
    auto parsed = hook_request(runtime(), hook, {});
    ASSERT_TRUE(parsed) << parsed.error().text;
    ASSERT_TRUE(parsed->condition);
    EXPECT_EQ(parsed->condition->text, "==");
    EXPECT_FALSE(parsed->predicate);
}

TEST(ParseRow, IsAProbeOrAFunctionAtEntryOrReturn)
{
    auto kind = [](const lang::Hook &hook) { return hook_request(runtime(), hook, {})->spec.kind; };
    EXPECT_EQ(kind(method), spec::ProbeKind::Usdt);
    EXPECT_EQ(kind({Event::GcBegin, "", "collect"}), spec::ProbeKind::Entry);
    EXPECT_EQ(kind({Event::GcEnd, "", "collect"}), spec::ProbeKind::Return);
}

TEST(ParseRow, TakesPlacesInTheInterpreter)
{
    lang::Runtime python = runtime();
    python.language = &lang::python;
    python.code_sites["call"] = {
        .vaddr = 0x1234, .condition = "arg1 != 0", .values = {{Role::Method, "str(arg2)"}}};
    auto parsed = hook_request(python, {Event::Call, lang::code_site_provider, "call"},
                               {Role::Class, Role::Method});
    ASSERT_TRUE(parsed) << parsed.error().text;
    EXPECT_EQ(test::value_names(*parsed), test::Names{"method"});
    EXPECT_EQ(parsed->condition->text, "!=");
    EXPECT_TRUE(parsed->spec.is_address);
}

TEST(ParseRaise, HoldsASemaphoreUpAndSeesNothing)
{
    auto parsed = semaphore_request(runtime(), {"hotspot", "method__entry", "hardly_called"});
    ASSERT_TRUE(parsed) << parsed.error().text;
    EXPECT_EQ(parsed->spec.kind, spec::ProbeKind::Entry);
    EXPECT_EQ(parsed->spec.function.text, "hardly_called");
    ASSERT_TRUE(parsed->lookup.kept_up_semaphore);
    EXPECT_EQ(parsed->lookup.kept_up_semaphore->event.text, "method__entry");
    EXPECT_EQ(parsed->lookup.kept_up_semaphore->library.text, parsed->spec.library.text);
    EXPECT_EQ(parsed->predicate->number, 0u);
    EXPECT_EQ(parsed->lookup.owner, 181);
}

}  // namespace
}  // namespace uscope::runtimes
