#include "runtimes/flow_probes.h"

#include <gtest/gtest.h>

#include "common/runtimes/runtime_of.h"
#include "support/value_names.h"

namespace uscope::runtimes {
namespace {

using Kind = output::Value::Kind;

struct FlowProbesTest : testing::Test {
    Result<> add(const lang::Runtime &runtime) { return probes_->add(tool_, runtime); }
    void want(const std::string &class_name, const std::string &method)
    {
        FlowProbes::Wanted wanted;
        wanted.class_name = class_name;
        wanted.method = method;
        wanted.enter.function = "enter";
        wanted.leave.function = "leave";
        probes_.emplace(wanted);
    }
    std::vector<probe::ProbeRequest> taken(const lang::Runtime &runtime)
    {
        auto added = add(runtime);
        EXPECT_TRUE(added) << (added ? "" : added.error().text);
        return probes_->take();
    }
    bool passes(const probe::ProbeRequest &probe, std::string_view class_name,
                std::string_view method)
    {
        return probes_->passes(probe, {{.kind = Kind::Text, .text = class_name},
                                       {.kind = Kind::Text, .text = method}});
    }
    run::Tool tool_{"uflow", {}};
    std::optional<FlowProbes> probes_;
};

TEST_F(FlowProbesTest, AreOfCallsAndReturns)
{
    want("", "");
    auto parsed = taken(runtime_of(lang::java));
    ASSERT_EQ(parsed.size(), 2u);
    EXPECT_EQ(parsed[0].event_output.function, "enter");
    EXPECT_EQ(parsed[1].event_output.function, "leave");
    for (const probe::ProbeRequest &probe : parsed) {
        EXPECT_EQ(test::value_names(probe), (test::Names{"class", "method"}));
        EXPECT_FALSE(probe.predicate);
        EXPECT_TRUE(passes(probe, "App", "run"));
    }
}

TEST_F(FlowProbesTest, HaveTheProgramCompareHowNamesBegin)
{
    want("App", "get");
    auto parsed = taken(runtime_of(lang::java));
    ASSERT_EQ(parsed.size(), 2u);
    const expr::Node *both = parsed[0].predicate.get();
    ASSERT_TRUE(both);
    EXPECT_EQ(both->text, "&&");
    EXPECT_EQ(both->children[0]->text, "starts_with");
    EXPECT_EQ(both->children[0]->children[1]->text, "get");
    EXPECT_EQ(both->children[1]->children[1]->text, "App");
    // The BPF program has filtered already, so passes() accepts everything.
    EXPECT_TRUE(passes(parsed[0], "Other", "set"));
}

// A user may type any prefix. Characters in it must not change the expression that contains it.
TEST_F(FlowProbesTest, TakeAnyPrefixAsText)
{
    want("", "a\") || (1");
    auto parsed = taken(runtime_of(lang::java));
    ASSERT_TRUE(parsed[0].predicate);
    EXPECT_EQ(parsed[0].predicate->text, "starts_with");
    EXPECT_EQ(parsed[0].predicate->children[1]->text, "a\") || (1");
}

TEST_F(FlowProbesTest, TakePhpsNamesWithAndWithoutNamespaces)
{
    want("Cart", "add");
    auto parsed = taken(runtime_of(lang::php));
    ASSERT_EQ(parsed.size(), 2u);
    EXPECT_FALSE(parsed[0].predicate);  // the BPF program cannot check it
    EXPECT_TRUE(passes(parsed[0], "Cart", "add"));
    EXPECT_TRUE(passes(parsed[0], "App\\Cart", "addItem"));
    EXPECT_TRUE(passes(parsed[0], "App\\Cart", "App\\add"));
    EXPECT_FALSE(passes(parsed[0], "App\\Basket", "add"));
    EXPECT_FALSE(passes(parsed[0], "App\\Cart", "remove"));
    EXPECT_FALSE(passes(parsed[0], "Cart\\Other", "remove"));
}

TEST_F(FlowProbesTest, TakePhpsNamesFromTheRoot)
{
    want("\\App\\Cart", "");
    auto parsed = taken(runtime_of(lang::php));
    ASSERT_TRUE(parsed[0].predicate);
    EXPECT_EQ(parsed[0].predicate->children[1]->text, "App\\Cart");
    EXPECT_TRUE(passes(parsed[0], "anything", "at all"));
}

TEST_F(FlowProbesTest, AreOfAFileOnce)
{
    want("", "");
    lang::Runtime first = runtime_of(lang::java), second = first,
                  other = runtime_of(lang::java, "/opt/runtime");
    second.pid = 182;
    other.object.file.inode = 7;
    ASSERT_TRUE(add(first));
    ASSERT_TRUE(add(second));
    EXPECT_EQ(probes_->take().size(), 2u);
    ASSERT_TRUE(add(other));
    EXPECT_EQ(probes_->take().size(), 2u);
}

TEST_F(FlowProbesTest, RefuseAClassWhereThereAreNone)
{
    want("App", "");
    auto added = add(runtime_of(lang::tcl));
    ASSERT_FALSE(added);
    EXPECT_TRUE(added.error().text.ends_with("has no classes: omit -C")) << added.error().text;
}

TEST_F(FlowProbesTest, SayWhyThereAreNone)
{
    want("", "");
    lang::Runtime off = runtime_of(lang::java);
    off.switches["DTraceMethodProbes"] = false;
    auto added = add(off);
    ASSERT_FALSE(added);
    EXPECT_NE(added.error().text.find("-XX:+DTraceMethodProbes"), std::string::npos)
        << added.error().text;
}

}  // namespace
}  // namespace uscope::runtimes
