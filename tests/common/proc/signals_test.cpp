#include "proc/signals.h"

#include <csignal>

#include <gtest/gtest.h>

namespace uscope::proc {
namespace {

TEST(Signals, HaveNames)
{
    EXPECT_EQ(signal_name(SIGTERM), "SIGTERM");
    EXPECT_EQ(signal_name(SIGCHLD), "SIGCHLD");
    EXPECT_EQ(signal_name(SIGRTMIN), "SIGRTMIN");
    EXPECT_EQ(signal_name(SIGRTMAX), "SIGRTMIN+30");
}

TEST(Signals, WithoutANameAreNumbers)
{
    for (int number : {0, 32, 33, 65, -1, 1000})
        EXPECT_EQ(signal_name(number), std::to_string(number));
}

TEST(Signals, AreParsedInEveryForm)
{
    EXPECT_EQ(parse_signal("KILL"), SIGKILL);
    EXPECT_EQ(parse_signal("SIGKILL"), SIGKILL);
    EXPECT_EQ(parse_signal("sigkill"), SIGKILL);
    EXPECT_EQ(parse_signal("9"), SIGKILL);
    EXPECT_EQ(parse_signal("IO"), SIGIO);
    EXPECT_EQ(parse_signal("RTMIN"), SIGRTMIN);
    EXPECT_EQ(parse_signal("SIGRTMIN+3"), SIGRTMIN + 3);
    EXPECT_EQ(parse_signal("RTMAX-1"), SIGRTMAX - 1);
    EXPECT_EQ(parse_signal("0"), 0);
    EXPECT_EQ(parse_signal("64"), 64);
}

TEST(Signals, ThatAreNoneAreRefused)
{
    for (const char *text :
         {"", "SIG", "FOO", "65", "-1", "RTMIN+31", "RTMIN-1", "RTMIN+", "RTMAX+1", "TERM "})
        EXPECT_FALSE(parse_signal(text)) << text;
}

TEST(Signals, AreParsedByTheirNames)
{
    for (int signal = 1; signal <= SIGRTMAX; signal++)
        EXPECT_EQ(parse_signal(signal_name(signal)), signal);
}

}  // namespace
}  // namespace uscope::proc
