#include "run/completion.h"

#include <gtest/gtest.h>

#include "base/format.h"

namespace uscope::run {
namespace {

CommandLine declared_line()
{
    CommandLine line;
    auto add = [&](std::vector<std::string> names, std::string placeholder,
                   std::function<std::vector<std::string>()> values) {
        line.options.push_back({.names = std::move(names),
                                .placeholder = std::move(placeholder),
                                .help = "help",
                                .group = "",
                                .set = {},
                                .values = std::move(values)});
    };
    add({"-a", "--all"}, "", nullptr);
    add({"-b", "--bold"}, "", nullptr);
    add({"-s", "--sort"}, "KEY", [] { return std::vector<std::string>{"size", "count"}; });
    add({"-c", "--calls"}, "CALL[,CALL]", [] {
        return std::vector<std::string>{"read", "recv", "write"};
    });
    add({"-o", "--output"}, "FILE", nullptr);
    add({"-n"}, "N", nullptr);
    line.positionals.push_back({"mysql|postgres", "", true, {}});
    return line;
}

std::string completed(const std::vector<std::string> &words)
{
    Completion completion = complete_tool(declared_line(), words);
    std::vector<std::string> texts;
    for (const resolve::Candidate &candidate : completion.candidates)
        texts.push_back(candidate.text);
    if (completion.has_files)
        texts.emplace_back("FILES");
    return join(texts, " ");
}

TEST(Completion, NamesOptions)
{
    EXPECT_EQ(completed({"--"}), "--all --bold --sort --calls --output");
    EXPECT_EQ(completed({"-a", "-s", "size", "-b"}), "-b");
    EXPECT_EQ(completed({"--", "-a"}), "");
}

TEST(Completion, KnowsValuesWhereverTheyStand)
{
    EXPECT_EQ(completed({"--sort", ""}), "size count");
    EXPECT_EQ(completed({"-a", "-s", "s"}), "size");
    EXPECT_EQ(completed({"--sort=c"}), "--sort=count");
    EXPECT_EQ(completed({"-sc"}), "-scount");
    EXPECT_EQ(completed({"-abs"}), "");
    EXPECT_EQ(completed({"-absc"}), "-abscount");
    EXPECT_EQ(completed({"-c", "read,re"}), "read,read read,recv");
    EXPECT_EQ(completed({"-o", "x"}), "FILES");
    EXPECT_EQ(completed({"--output=x"}), "FILES");
    EXPECT_EQ(completed({"-n", ""}), "");
}

TEST(Completion, KnowsOtherWords)
{
    EXPECT_EQ(completed({"m"}), "mysql");
    EXPECT_EQ(completed({"-a", ""}), "mysql postgres");
    EXPECT_EQ(completed({"--no-such", "p"}), "postgres");
    EXPECT_EQ(completed({"--sort", "wrong", "-a", "--wrong=x", "p"}), "postgres");
}

TEST(Completion, ShortensManyNames)
{
    resolve::Candidates names;
    for (const char *text : {"c:aa1", "c:aa2", "c:ab1", "c:b"})
        names.push_back({text});
    auto text_of = [](const resolve::Candidates &candidates) {
        std::string text;
        for (const resolve::Candidate &one : candidates)
            text += fmt::format("{}{} {}|", one.text, one.is_whole ? "" : "*", one.description);
        return text;
    };
    EXPECT_EQ(text_of(shorten(names, 2, 4)), "c:aa1 |c:aa2 |c:ab1 |c:b |");
    EXPECT_EQ(text_of(shorten(names, 2, 3)), "c:aa* 2 names|c:ab1 |c:b |");
    EXPECT_EQ(text_of(shorten(names, 2, 2)), "c:a* 3 names|c:b |");
    EXPECT_EQ(text_of(shorten(names, 2, 1)), "c:a* 3 names|c:b |");
}

}  // namespace
}  // namespace uscope::run
