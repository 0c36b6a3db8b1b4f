#include "probe/calls.h"

#include <gtest/gtest.h>

#include "probe/program.h"
#include "support/files.h"
#include "support/value_names.h"

namespace uscope::probe {
namespace {

using spec::ProbeKind;

Calls calls_of(std::vector<std::string> patterns)
{
    Calls calls;
    calls.patterns = std::move(patterns);
    return calls;
}

TEST(Calls, NeedAPatternAndPlaceForKeys)
{
    auto none = Calls().check();
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, Error::Kind::Usage);
    Calls calls = calls_of({"c:str*"});
    EXPECT_TRUE(calls.check());
    calls.keys = 0;
    EXPECT_FALSE(calls.check());
}

TEST(Calls, AreQuotedSafelyForATerminal)
{
    EXPECT_EQ(calls_of({"c:str*"}).quoted(), "\"c:str*\"");
    EXPECT_EQ(calls_of({"c:str*", "c:\x1b[2J"}).quoted().find('\x1b'), std::string::npos);
    EXPECT_TRUE(calls_of({"c:str*", "c:mem*"}).quoted().ends_with(", \"c:mem*\""));
}

TEST(Calls, AreCountedWhereverAProbeCanBe)
{
    auto probes =
        calls_of({"c:malloc", "u:c:setjmp", "t:a:b", "c:qsort+4"}).parse(ProbeKind::Entry, "count");
    ASSERT_TRUE(probes) << probes.error().text;
    std::vector<ProbeKind> kinds;
    for (const ProbeRequest &probe : *probes) {
        kinds.push_back(probe.spec.kind);
        EXPECT_EQ(probe.spec.needs.arguments, spec::ArgumentUse::None);
        EXPECT_EQ(probe.event_output.function, "count");
        EXPECT_EQ(probe.event_output.header_bytes, 0u);
        EXPECT_FALSE(probe.numbers_sites);
        EXPECT_TRUE(probe.values.empty());
    }
    EXPECT_EQ(kinds, (std::vector<ProbeKind>{ProbeKind::Entry, ProbeKind::Usdt,
                                             ProbeKind::Tracepoint, ProbeKind::Entry}));
    EXPECT_EQ((*probes)[3].label, "c:qsort+4");
}

TEST(Calls, TakeTimeInFunctionsOnly)
{
    auto probes = calls_of({"c:malloc"}).parse(ProbeKind::Return, "measure");
    ASSERT_TRUE(probes) << probes.error().text;
    EXPECT_EQ((*probes)[0].spec.kind, ProbeKind::Return);
    for (const char *wrong : {"u:c:setjmp", "t:a:b", "c:malloc+4", "r:c:malloc"}) {
        auto refused = calls_of({"c:free", wrong}).parse(ProbeKind::Return, "measure");
        ASSERT_FALSE(refused) << wrong;
        EXPECT_EQ(refused.error().source, wrong);
        EXPECT_EQ(refused.error().kind, Error::Kind::Usage);
    }
    EXPECT_FALSE(calls_of({"r:c:malloc"}).parse(ProbeKind::Entry, "count"));
}

TEST(Calls, MayBeRegularExpressions)
{
    Calls calls = calls_of({"c:str(len|cpy)$"});
    EXPECT_FALSE(calls.parse(ProbeKind::Entry, "count"));
    calls.is_regex = true;
    auto probes = calls.parse(ProbeKind::Entry, "count");
    ASSERT_TRUE(probes) << probes.error().text;
    EXPECT_TRUE((*probes)[0].spec.is_regex);
}

TEST(Calls, HaveKeysOfWhatTheyAreToldApartBy)
{
    Calls calls = calls_of({"c:malloc"});
    calls.by_process = calls.by_comm = calls.by_function = true;
    auto probes = calls.parse(ProbeKind::Entry, "count");
    ASSERT_TRUE(probes) << probes.error().text;
    const ProbeRequest &probe = (*probes)[0];
    EXPECT_EQ(probe.event_output.function, "count_keyed");
    EXPECT_TRUE(probe.numbers_sites);
    ASSERT_EQ(test::value_names(probe), (test::Names{"pid", "comm"}));
    EXPECT_EQ(probe.values[1].node->text, "$comm");
}

Result<ProbeSet> build_calls(std::vector<std::string> patterns)
{
    return build_calls(TRY(calls_of(std::move(patterns)).parse(ProbeKind::Entry, "count")), {},
                       [](const std::string &pattern) { return "no match of " + pattern + ": "; });
}

TEST(BuildCalls, HasEachPlaceOnceInOneProgram)
{
    std::string calls = tests::target("calls");
    auto set = build_calls({calls + ":plain", calls + ":recursive", calls + ":pla*"});
    ASSERT_TRUE(set) << set.error().text;
    ASSERT_EQ(set->programs().size(), 1u);
    EXPECT_EQ(set->site_count(), 2u);
    EXPECT_EQ(set->programs()[0]->site_names, (std::vector<std::string>{"plain", "recursive"}));
}

TEST(BuildCalls, TellsFunctionsOfTheSameNameApartByTheirFiles)
{
    auto set = build_calls({tests::target("calls") + ":main", tests::target("values") + ":main",
                            tests::target("calls") + ":plain"});
    ASSERT_TRUE(set) << set.error().text;
    EXPECT_EQ(set->programs()[0]->site_names,
              (std::vector<std::string>{"calls:main", "plain", "values:main"}));
}

TEST(BuildCalls, SaysWhichPatternMatchesNothing)
{
    std::string calls = tests::target("calls");
    auto set = build_calls({calls + ":plain", calls + ":nosuch*"});
    ASSERT_FALSE(set);
    EXPECT_TRUE(set.error().text.starts_with("no match of " + calls + ":nosuch*: "))
        << set.error().text;
}

}  // namespace
}  // namespace uscope::probe
