#include "runtimes/call_probes.h"

#include <gtest/gtest.h>

#include "common/runtimes/runtime_of.h"
#include "support/value_names.h"

namespace uscope::runtimes {
namespace {

struct CallProbesTest : testing::Test {
    // Returns the probes and the C functions that they call: "method__entry enter".
    std::vector<std::string> add(const lang::Runtime &runtime)
    {
        auto added = add_call_probes(tool, runtime, wanted, probes);
        error = added ? "" : added.error().text;
        std::vector<std::string> text;
        for (const probe::ProbeRequest &probe : probes)
            text.push_back(probe.spec.event.text + " " + probe.event_output.function);
        return text;
    }
    using Texts = std::vector<std::string>;
    run::Tool tool{"ucalls", {}};
    CallProbes wanted = {.string_bytes = 80,
                         .enter = {.function = "enter"},
                         .leave = {.function = "leave"},
                         .measured = {}};
    std::vector<probe::ProbeRequest> probes;
    std::string error;
};

TEST_F(CallProbesTest, CountEntries)
{
    EXPECT_EQ(add(runtime_of(lang::java)), (Texts{"method__entry enter"}));
    EXPECT_EQ(error, "");
    EXPECT_FALSE(probes[0].measured);
}

TEST_F(CallProbesTest, TimeEntriesAndReturns)
{
    wanted.times = true;
    wanted.measured = "1";
    EXPECT_EQ(add(runtime_of(lang::java)), (Texts{"method__entry enter", "method__return leave"}));
    EXPECT_EQ(test::value_names(probes[0]), test::value_names(probes[1]));
    EXPECT_TRUE(probes[0].measured && probes[1].measured);
}

TEST_F(CallProbesTest, CountReturnsIfThereAreNoEntries)
{
    lang::Runtime runtime = runtime_of(lang::java);
    runtime.probes.erase("hotspot:method__entry");
    EXPECT_EQ(add(runtime), (Texts{"method__return enter"}));
    wanted.times = true;
    probes.clear();
    EXPECT_EQ(add(runtime), Texts{});
    EXPECT_TRUE(error.ends_with("; omit -L and -H to count calls")) << error;
}

TEST_F(CallProbesTest, SayWhyThereAreNone)
{
    lang::Runtime runtime = runtime_of(lang::java);
    runtime.switches["DTraceMethodProbes"] = false;
    EXPECT_EQ(add(runtime), Texts{});
    EXPECT_NE(error.find("-XX:+DTraceMethodProbes"), std::string::npos) << error;
}

TEST_F(CallProbesTest, HaveKeysOfOneLayoutInALanguage)
{
    lang::Runtime probed = runtime_of(lang::python), called = probed;
    probed.version = called.version = {3, 10, 4};
    probed.probes = {{"python:function__entry", "/bin/runtime"}};
    called.probes.clear();
    called.code_sites["RESUME"] = {.vaddr = 0x1000,
                                   .condition = {},
                                   .values = {{lang::Role::Code, "arg3"},
                                              {lang::Role::Class, "str(arg1)"},
                                              {lang::Role::Method, "str(arg2)"}}};
    add(called);
    ASSERT_EQ(probes.size(), 1u) << error;
    EXPECT_EQ(probes[0].values.back().name, "code");
    add(probed);
    ASSERT_EQ(probes.size(), 2u) << error;
    EXPECT_EQ(test::value_names(probes[0]), test::value_names(probes[1]));
}

}  // namespace
}  // namespace uscope::runtimes
