#include "proc/syscalls.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

namespace uscope::proc {
namespace {

TEST(Syscalls, HaveNames)
{
    EXPECT_EQ(syscall_name(SYS_openat), "openat");
    EXPECT_EQ(syscall_name(SYS_exit_group), "exit_group");
}

TEST(Syscalls, HaveTheirNumberWhenUnknown)
{
    EXPECT_EQ(syscall_name(99999), "syscall_99999");
}

}  // namespace
}  // namespace uscope::proc
