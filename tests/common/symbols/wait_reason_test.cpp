#include "symbols/wait_reason.h"

#include <gtest/gtest.h>

namespace uscope::symbols {
namespace {

// A stack of a thread that waits in a system call.
KernelStack stack_in(const char *function, const char *leaf = "schedule+0x29")
{
    return {leaf, std::string(function) + "+0x1c", "do_syscall_64+0x5c",
            "entry_SYSCALL_64_after_hwframe+0x76"};
}

TEST(WaitReason, NamesTheSystemCall)
{
    EXPECT_EQ(syscall_of(stack_in("__x64_sys_futex")), "futex");
    EXPECT_EQ(syscall_of(stack_in("ksys_read")), "read");
    EXPECT_EQ(syscall_of({"schedule", "__arm64_sys_ppoll+0x8", "invoke_syscall+0x50"}), "ppoll");
    EXPECT_EQ(syscall_of({"schedule", "kernel_wait4", "el0_svc_common"}), "wait4");
}

TEST(WaitReason, NamesNoneOutsideOfSystemCalls)
{
    EXPECT_EQ(syscall_of(stack_in("syscall_exit_to_user_mode")), "");
    EXPECT_EQ(syscall_of({"schedule", "exc_page_fault"}), "");
    EXPECT_EQ(syscall_of({}), "");
}

TEST(WaitReason, ComesFromTheSystemCall)
{
    EXPECT_EQ(wait_reason(stack_in("__x64_sys_clock_nanosleep"), "lock"), "sleep");
    EXPECT_EQ(wait_reason(stack_in("__x64_sys_epoll_wait"), "lock"), "events");
    EXPECT_EQ(wait_reason(stack_in("ksys_read"), "lock"), "I/O");
    EXPECT_EQ(wait_reason(stack_in("__x64_sys_futex"), "timed wait"), "timed wait");
    EXPECT_EQ(wait_reason(stack_in("__x64_sys_swapon"), "lock"), "other");
}

TEST(WaitReason, KernelFunctionsMakeItMoreExact)
{
    EXPECT_EQ(wait_reason(stack_in("ksys_read", "io_schedule+0x3"), ""), "disk");
    EXPECT_EQ(wait_reason(stack_in("ksys_read", "__mutex_lock.constprop.0"), ""), "kernel lock");
    EXPECT_EQ(wait_reason({"schedule", "handle_mm_fault+0x1"}, ""), "page fault");
    EXPECT_EQ(wait_reason({}, ""), "unknown");
}

TEST(WaitReason, LeavesOutTheInterruptedThread)
{
    output::NamedStack waker = {.pid = 181,
                                .comm = "other",
                                .kernel = {"try_to_wake_up", "asm_sysvec_apic_timer", "do_work"},
                                .user = {"main"},
                                .cut = "it was long"};
    leave_out_interrupted(waker);
    output::NamedStack interrupt;
    interrupt.comm = "[interrupt]";
    interrupt.kernel = {"try_to_wake_up", "asm_sysvec_apic_timer"};
    EXPECT_EQ(waker, interrupt);

    output::NamedStack thread = {
        .pid = 181, .comm = "other", .kernel = {"do_work"}, .user = {"main"}, .cut = ""};
    output::NamedStack same = thread;
    leave_out_interrupted(same);
    EXPECT_EQ(same, thread);
}

}  // namespace
}  // namespace uscope::symbols
