#include "http/programs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "bpf/lib/event.h"
#include "run/tool.h"
#include "support/files.h"

namespace uscope::http {
namespace {

struct Traced {
    run::Tool tool{"gohttp", {}};
    run::Processes processes;
    Programs programs{tool, processes, {}};
};

TEST(Programs, AreGos)
{
    Traced none;
    auto added = none.programs.add(tests::target("calls"));
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().text, tests::target("calls") + " is not a Go program");
    EXPECT_FALSE(none.programs.add("/no/such/program"));
}

// A process that is not a Go program is not an error.
TEST(Programs, AreNoOtherProcesses)
{
    Traced none;
    EXPECT_TRUE(none.programs.add_process(getpid()));
    EXPECT_TRUE(none.programs.add_process(999'999'999));
    event_header header = {};  // an event of program 0, which does not exist
    EXPECT_FALSE(none.programs.read({&header, sizeof(header)}));
}

TEST(Programs, BelieveNoRecordOfNone)
{
    Traced none;
    event_header header = {};
    EXPECT_FALSE(none.programs.read({&header, sizeof(header)}));
    EXPECT_FALSE(none.programs.read({&header, 3}));
}

}  // namespace
}  // namespace uscope::http
