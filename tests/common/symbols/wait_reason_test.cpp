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

// Names of stacks of real programs: Node, a JVM, C++ and Rust.
TEST(WaitReason, RecognizesThreadsWithoutWorkInManyLanguages)
{
    auto idle = [](std::vector<output::Frame> user) {
        user.insert(user.begin(), output::Frame("pthread_cond_wait", output::FrameKind::Libc));
        user.emplace_back("clone3", output::FrameKind::Libc);
        output::NamedStack stack;
        stack.user = std::move(user);
        return is_idle(stack, "wait");
    };
    EXPECT_TRUE(
        idle({"uv_cond_wait", "node::TaskQueue::BlockingPop", "node::PlatformWorkerThread"}));
    EXPECT_TRUE(idle({"os::PlatformMonitor::wait", "Monitor::wait", "CompileQueue::get",
                      "CompileBroker::compiler_thread_loop", "JavaThread::thread_main_inner",
                      "Thread::call_run", "thread_native_entry"}));
    EXPECT_TRUE(idle({"std::condition_variable::wait", "worker",
                      "std::thread::_State_impl<work>::_M_run", "libstdc++.so.6.0.30+0xd4490"}));
    EXPECT_TRUE(idle({"std::sync::mpmc::list::Channel<T>::recv", "worker"}));
    EXPECT_FALSE(idle({"std::sys::sync::mutex::futex::Mutex::lock_contended", "worker"}));
    EXPECT_FALSE(idle({"std::thread::join", "worker"}));
    EXPECT_FALSE(idle({"std::__future_base::_State_baseV2::wait", "ask", "worker"}));
    EXPECT_FALSE(idle({"take_gil", "worker"}));
    EXPECT_FALSE(idle({"second_phase", "first_phase", "worker"}));
}

// A thread that has nothing to do waits in its outermost functions.
TEST(WaitReason, RecognizesThreadsWithoutWork)
{
    const output::Frame start = {"clone3", output::FrameKind::Libc},
                        wait = {"pthread_cond_wait", output::FrameKind::Libc};
    output::NamedStack pool, busy, kernel, java;
    pool.user = {wait, "uv_cond_wait", "worker", start};
    EXPECT_TRUE(is_idle(pool, "wait"));
    EXPECT_TRUE(is_idle(pool, "events"));
    EXPECT_FALSE(is_idle(pool, "lock"));
    EXPECT_FALSE(is_idle(pool, "sleep"));
    pool.user.back() = "_start";
    EXPECT_FALSE(is_idle(pool, "wait"));
    busy.user = {wait, "await_reply", "query", "handle", start};
    EXPECT_FALSE(is_idle(busy, "wait"));
    java.user = busy.user;
    java.user[3] = "java.util.concurrent.ThreadPoolExecutor.getTask";
    EXPECT_TRUE(is_idle(java, "wait"));
    pool.user = {wait, "java.lang.Thread.sleep0", "worker", start};
    EXPECT_FALSE(is_idle(pool, "timed wait"));
    pool.user = {"[not walked: too many at once]"};
    EXPECT_FALSE(is_idle(pool, "wait"));
    pool.user = {wait, "worker", start};
    pool.cut = "too long";
    EXPECT_FALSE(is_idle(pool, "wait"));
    kernel.kernel = {"schedule", "worker_thread", "kthread"};
    EXPECT_TRUE(is_idle(kernel, "other"));
    kernel.kernel = {"io_schedule", "write", "process_one_work", "worker_thread", "kthread"};
    EXPECT_FALSE(is_idle(kernel, "disk"));
}

}  // namespace
}  // namespace uscope::symbols
