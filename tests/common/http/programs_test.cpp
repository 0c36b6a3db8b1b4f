#include "http/programs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "bpf/lib/event.h"
#include "support/files.h"

namespace uscope::http {
namespace {

Programs programs()
{
    return Programs({}, probe::BuildOptions());
}

TEST(Programs, AreGos)
{
    Programs none = programs();
    auto added = none.add(tests::target("calls"));
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().text, tests::target("calls") + " is not a Go program");
    EXPECT_FALSE(none.add("/no/such/program"));
}

// A process that is not a Go program is not an error.
TEST(Programs, AreNoOtherProcesses)
{
    Programs none = programs();
    EXPECT_TRUE(none.add_process(getpid()));
    EXPECT_TRUE(none.add_process(999'999'999));
    EXPECT_TRUE(none.attach_new([](probe::ProbeSet &) {
        ADD_FAILURE() << "there is nothing to attach";
        return Result<>();
    }));
}

TEST(Programs, BelieveNoRecordOfNone)
{
    Programs none = programs();
    event_header header = {};
    EXPECT_FALSE(none.read({&header, sizeof(header)}));
    EXPECT_FALSE(none.read({&header, 3}));
}

}  // namespace
}  // namespace uscope::http
