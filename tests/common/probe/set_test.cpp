#include "probe/set.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/format.h"
#include "probe/build_options.h"
#include "probe/events.h"
#include "probe/program.h"
#include "run/child.h"
#include "support/files.h"

namespace uscope::probe {
namespace {

ProbeRequest parsed(const std::string &text)
{
    auto probe = parse_event(text);
    EXPECT_TRUE(probe) << text << ": " << (probe ? "" : probe.error().text);
    probe->event_output = record_output();
    return std::move(*probe);
}

const std::string values = tests::target("values");

Result<ProbeSet> build(const std::vector<std::string> &texts, const BuildOptions &options = {})
{
    std::vector<ProbeRequest> probes;
    for (const std::string &text : texts)
        probes.push_back(parsed(text));
    return ProbeSet::build(std::move(probes), options);
}

TEST(ProbeSet, NamesItsSitesByTheirNumbers)
{
    auto set = build({"p:" + values + ":s* \"\""});
    ASSERT_TRUE(set) << set.error().text;
    const Program &several = *set->programs()[0];
    auto names = several.site_names;
    ASSERT_EQ(std::set<std::string>(names.begin(), names.end()),
              (std::set<std::string>{"show", "sum"}));
    EXPECT_EQ(several.site_name(1), names[0]);
    EXPECT_EQ(several.site_name(2), names[1]);
    // An invalid record may contain any number.
    EXPECT_EQ(several.site_name(0), names[0]);
    EXPECT_EQ(several.site_name(3), names[0]);

    auto one = build({"p:" + values + ":sum"});
    ASSERT_TRUE(one) << one.error().text;
    EXPECT_EQ(one->programs()[0]->site_name(0), "sum");
}

size_t instructions_at_entry(const ProbeSet &set)
{
    return set.programs()[0]->entry->insns.size();
}

// All programs save calls in the same map, and the kernel copies whole values from a program's
// memory. So each program that inserts a value from its stack, as those at the kernel's return probe
// do, has to write values of the largest size that any of them needs.
TEST(ProbeSet, SharesOneSizeOfWhatIsSavedOfCalls)
{
    std::vector<std::string> texts = {
        "r:" + values + ":sum \"%d\", $entry(a)",
        "r:" + values + ":twelve \"%d %d %d\", $entry(a), $entry(b), $entry(c)"};
    BuildOptions options;
    options.returns.forced = resolve::ReturnMethod::KernelProbe;
    auto set = build(texts, options);
    ASSERT_TRUE(set) << set.error().text;
    auto alone = build({texts[0]}, options);
    ASSERT_TRUE(alone);
    EXPECT_LT(alone->call_bytes(), set->call_bytes());
    EXPECT_EQ(set->call_bytes(), build({texts[1]}, options)->call_bytes());
    EXPECT_GT(instructions_at_entry(*set), instructions_at_entry(*alone));

    options.shared.least_call_bytes = set->call_bytes();
    auto with_others = build({texts[0]}, options);
    ASSERT_TRUE(with_others);
    EXPECT_EQ(instructions_at_entry(*with_others), instructions_at_entry(*set));
}

TEST(ProbeSet, RemembersNoCallsForWhatIsAtAnEntry)
{
    auto set = build({"p:" + values + ":sum \"%d\", a"});
    ASSERT_TRUE(set) << set.error().text;
    EXPECT_EQ(set->call_bytes(), 0u);
    EXPECT_FALSE(set->any_exit_calls());
}

TEST(ProbeSet, KnowsWhatItsProbesShow)
{
    auto silent = build({"p:" + values + ":sum \"\""});
    ASSERT_TRUE(silent) << silent.error().text;
    EXPECT_TRUE(silent->any_message());
    EXPECT_EQ(silent->programs()[0]->main.layouts[0].fields.size(), 0u);
    EXPECT_FALSE(silent->any_conversion('U'));

    auto all = build({"p:" + values + ":sum"});
    ASSERT_TRUE(all) << all.error().text;
    EXPECT_TRUE(all->any_message());
    EXPECT_EQ(all->programs()[0]->shown.size(), all->programs()[0]->main.layouts[0].fields.size());

    auto set = build({"p:" + values + ":sum", "p:" + values + ":show \"%s %U\", arg1, arg2"});
    ASSERT_TRUE(set) << set.error().text;
    EXPECT_TRUE(set->any_message());
    EXPECT_TRUE(set->any_conversion('U'));
    EXPECT_FALSE(set->any_conversion('K'));
    EXPECT_GE(set->largest_record(), silent->largest_record() + 80);
}

TEST(ProbeSet, HasASharedFileOfSeveralOwnersOnce)
{
    auto child = run::Child::start({"true"});
    ASSERT_TRUE(child) << child.error().text;
    std::vector<ProbeRequest> probes;
    for (pid_t owner : {getpid(), child->pid()}) {
        probes.push_back(parsed("p:" + values + ":sum"));
        probes.back().lookup.owner = owner;
    }
    probes.push_back(parsed("p:" + values + ":show"));
    probes.back().lookup.owner = child->pid();
    auto set = ProbeSet::build(std::move(probes), {});
    ASSERT_TRUE(set) << set.error().text;
    ASSERT_EQ(set->programs().size(), 2u);
    EXPECT_EQ(set->programs()[0]->site_name(0), "sum");
    EXPECT_EQ(set->programs()[1]->site_name(0), "show");
}

TEST(ProbeSet, HasOneProgramForProbesOfOneShape)
{
    std::vector<ProbeRequest> probes;
    for (const char *function : {"sum", "show", "twelve"}) {
        probes.push_back(parsed(fmt::format("p:{}:{} \"%d\", arg1", values, function)));
        probes.back().merge_key = function == std::string("show") ? "other" : "arg1";
    }
    auto set = ProbeSet::build(std::move(probes), {});
    ASSERT_TRUE(set) << set.error().text;
    ASSERT_EQ(set->programs().size(), 2u);
    EXPECT_EQ(set->programs()[0]->site_names, (std::vector<std::string>{"sum", "twelve"}));
    EXPECT_EQ(set->programs()[1]->site_names, std::vector<std::string>{"show"});
}

TEST(ProbeSet, LeavesOutWhatNoProbeCanBeOn)
{
    auto set = build({"p:" + tests::target("indirect") + ":scale*"});
    ASSERT_TRUE(set) << set.error().text;
    EXPECT_EQ(
        set->refusals(),
        (resolve::Refusals{{"are indirect (IFUNC), and only -p shows which code runs: scale", 1}}));
    EXPECT_EQ(set->site_count(), 2u);
}

TEST(ProbeSet, MayExplainAnErrorFurther)
{
    BuildOptions options;
    options.explain = [](const ProbeRequest &probe, Error &error) {
        error.text = probe.spec.function.text + " was wanted: " + error.text;
    };
    auto all = build({"p:" + values + ":sum"});
    ASSERT_TRUE(all) << all.error().text;
    EXPECT_TRUE(all->any_message());
    EXPECT_EQ(all->programs()[0]->shown.size(), all->programs()[0]->main.layouts[0].fields.size());

    auto set = build({"p:" + values + ":sum", "p:" + values + ":summ"}, options);
    ASSERT_FALSE(set);
    EXPECT_TRUE(set.error().text.starts_with("summ was wanted: ")) << set.error().text;
    EXPECT_NE(set.error().text.find("sum"), std::string::npos);
}

}  // namespace
}  // namespace uscope::probe
