#include "run/shell_line.h"

#include <gtest/gtest.h>

#include "base/format.h"

namespace uscope::run {
namespace {

std::string split_words_of(std::string_view line)
{
    ShellLine split = split_shell_line(line);
    return join(split.words, "|") + (split.open_quote ? std::string(" ") + split.open_quote : "");
}

TEST(ShellLine, SplitsAsAShell)
{
    EXPECT_EQ(split_words_of("trace c:mallo"), "trace|c:mallo");
    EXPECT_EQ(split_words_of("trace  -p 1 "), "trace|-p|1|");
    EXPECT_EQ(split_words_of("trace 'c:open (arg'"), "trace|c:open (arg");
    EXPECT_EQ(split_words_of("trace x:f\\(int\\)\\ "), "trace|x:f(int) ");
    EXPECT_EQ(split_words_of(""), "");
}

TEST(ShellLine, KnowsTheOpenQuote)
{
    EXPECT_EQ(split_words_of("trace 'c:open \""), "trace|c:open \" '");
    EXPECT_EQ(split_words_of("trace \"c:a\\\"b"), "trace|c:a\"b \"");
    EXPECT_EQ(split_words_of("trace 'a"), "trace|a '");
}

TEST(ShellLine, QuotesForTheSamePlace)
{
    EXPECT_EQ(shell_quoted("ns::f(int, A*)", 0), "ns::f\\(int,\\ A\\*\\)");
    EXPECT_EQ(shell_quoted("~/a b", 0), "~/a\\ b");
    EXPECT_EQ(shell_quoted("f(int) 'x'", '\''), "f(int) '\\''x'\\''");
    EXPECT_EQ(shell_quoted("f \"$x\"", '"'), "f \\\"\\$x\\\"");
}

}  // namespace
}  // namespace uscope::run
