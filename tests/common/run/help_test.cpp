#include "run/help.h"

#include <gtest/gtest.h>

namespace uscope::run {
namespace {

CommandLine declared()
{
    CommandLine line;
    line.tool = "uscope tool";
    line.summary = "does something";
    auto add = [&](std::vector<std::string> names, std::string placeholder, std::string help,
                   std::string group) {
        line.options.push_back({std::move(names),
                                std::move(placeholder),
                                std::move(help),
                                std::move(group),
                                false,
                                {}});
    };
    add({"-d"}, "", "BCC's letter", std::string(bcc_spellings));
    add({"-h", "--help"}, "", "show this help", "Options");
    add({"-f"}, "", "a flag", "Which");
    add({"-n", "--name", "--a-very-long-name"}, "TEXT",
        "a text that is described with more words than fit into one line", "Which");
    add({"--flag"}, "", "another flag", "Options");
    add({"-x", "--duration"}, "SECONDS", "end after this time", "Options");
    line.positionals.push_back({"FILTER", "one", false, {}});
    line.positionals.push_back({"PID [INTERVAL]", "several", true, {}});
    line.explanation =
        "A paragraph whose lines are joined and then wrapped\nanew.\nWHAT  a table's lines stay\n";
    line.examples.push_back({"uscope tool x", "an example"});
    return line;
}

TEST(Help, ShowsWhatWasDeclared)
{
    EXPECT_EQ(help_text(declared(), 60), R"(does something
Usage: uscope tool [OPTIONS] [FILTER] [PID [INTERVAL]...]

Positionals:
  FILTER                      one
  PID [INTERVAL] ...          several

Common options:
  -x,--duration SECONDS       end after this time
  -h,--help                   show this help

Which:
  -f                          a flag
  -n,--name,--a-very-long-name TEXT
                              a text that is described with
                              more words than fit into one
                              line

Options:
  --flag                      another flag

BCC's spellings:
  -d                          BCC's letter

A paragraph whose lines are joined and then wrapped anew.
WHAT  a table's lines stay

Examples:
  uscope tool x
      an example
)");
}

TEST(Help, FitsTheTerminal)
{
    EXPECT_EQ(help_width(0, nullptr), 80u);
    EXPECT_EQ(help_width(0, ""), 80u);
    EXPECT_EQ(help_width(72, nullptr), 72u);
    EXPECT_EQ(help_width(72, "90"), 90u);
    EXPECT_EQ(help_width(20, nullptr), 60u);
    EXPECT_EQ(help_width(0, "300"), 100u);
    EXPECT_EQ(help_width(72, "wide"), 72u);
    EXPECT_EQ(help_width(0, "0"), 80u);
}

}  // namespace
}  // namespace uscope::run
