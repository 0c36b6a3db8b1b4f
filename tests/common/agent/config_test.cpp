#include "agent/config.h"

#include <gtest/gtest.h>

#include "base/format.h"

namespace uscope::agent {
namespace {

const std::vector<std::string> tools = {"argdist", "httpsnoop", "mysqlqueries"};

// "LINE: TEXT" of each error.
std::vector<std::string> problems_of(std::string_view text)
{
    std::vector<Problem> problems;
    parse_config(text, tools, problems);
    std::vector<std::string> lines;
    for (const Problem &problem : problems)
        lines.push_back(fmt::format("{}: {}", problem.line, problem.text));
    return lines;
}

TEST(AgentConfig, HasToolsWithOptions)
{
    std::vector<Problem> problems;
    Config config = parse_config(
        "# two tools\n"
        "agent:\n"
        "  metrics: :9464\n"
        "  otlp: http://localhost:4318\n"
        "  cpu: 0.5%\n"
        "tools:\n"
        "  httpsnoop:\n"
        "  opens:\n"
        "    tool: argdist\n"
        "    options: [-C, \"p:c:open()\", -i, 1]\n",
        tools, problems);
    EXPECT_TRUE(problems.empty()) << problems[0].text;
    EXPECT_EQ(config.metrics, ":9464");
    EXPECT_EQ(config.otlp, "http://localhost:4318");
    EXPECT_EQ(config.cpu, 0.005);
    ASSERT_EQ(config.tools.size(), 2u);
    EXPECT_EQ(config.tools[0].tool, "httpsnoop");
    EXPECT_TRUE(config.tools[0].options.empty());
    EXPECT_EQ(config.tools[1].name, "opens");
    EXPECT_EQ(config.tools[1].tool, "argdist");
    EXPECT_EQ(config.tools[1].line, 8u);
    EXPECT_EQ(config.tools[1].options, (std::vector<std::string>{"-C", "p:c:open()", "-i", "1"}));
}

TEST(AgentConfig, SaysWhatIsWrongInWhichLine)
{
    using Lines = std::vector<std::string>;
    auto with_tool = [](const std::string &text) {
        return problems_of(text + "tools: {httpsnoop: }\n");
    };
    EXPECT_EQ(with_tool("agent: {metrics: 9464}\n"),
              Lines{"1: metrics: 9464 is not [ADDRESS]:PORT, such as 127.0.0.1:9464"});
    EXPECT_EQ(with_tool("agent:\n  cpu: 1\n"),
              Lines{"2: cpu: \"1\" is not a share of a processor, such as 1%"});
    EXPECT_EQ(with_tool("agent:\n  cpu: -1%\n").size(), 1u);
    EXPECT_EQ(with_tool("agent:\n  otlp: spans.json\n"),
              Lines{"2: otlp: spans.json is not a URL, such as http://localhost:4318"});
    EXPECT_EQ(with_tool("agent: [a]\n"), Lines{"1: agent must be a mapping, lines of KEY: VALUE"});
    EXPECT_EQ(with_tool("agents:\n"),
              Lines{"1: the file has no key agents: it takes agent, tools"});
    EXPECT_EQ(problems_of("tools:\n  httpsnop:\n"),
              Lines{"2: there is no tool \"httpsnop\", did you mean httpsnoop?"});
    EXPECT_EQ(problems_of("tools:\n  httpsnoop:\n    options: --all\n"),
              Lines{"3: options must be a list, such as [--min, 5ms]"});
    EXPECT_EQ(problems_of("tools:\n  httpsnoop:\n  httpsnoop:\n"),
              Lines{"3: tools has httpsnoop twice: omit one of them"});
    EXPECT_EQ(problems_of("tools:\n  a b: {tool: argdist}\n").size(), 1u);
    EXPECT_EQ(
        problems_of("tools:\n  httpsnoop: {options: [--prometheus, x]}\n"),
        Lines{"2: httpsnoop: the agent exports its metrics: omit --prometheus, and set metrics "
              "of agent"});
    EXPECT_EQ(problems_of(""),
              Lines{"1: no tool is chosen: add tools, such as \"tools: {httpsnoop: }\""});
    EXPECT_EQ(problems_of("tools: [b\n").size(), 1u);
    // A word that refers to itself ends, too.
    EXPECT_EQ(problems_of("tools: &a\n  httpsnoop: *a\n").size(), 1u);
}

}  // namespace
}  // namespace uscope::agent
