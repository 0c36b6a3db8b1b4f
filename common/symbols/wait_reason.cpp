// Recognizes functions of the kernel.
#include "symbols/wait_reason.h"

#include <algorithm>
#include <span>

namespace uscope::symbols {
namespace {

// Removes the kernel's prefix from the function of a system call.
std::string without_prefix(std::string_view function)
{
    for (std::string_view prefix : {"__x64_sys_", "__arm64_sys_", "__se_sys_", "__do_sys_", "ksys_",
                                    "do_sys_", "__sys_", "kernel_", "kern_", "do_"}) {
        if (function.starts_with(prefix))
            return std::string(function.substr(prefix.size()));
    }
    return std::string(function);
}

// Is it a function that runs before a system call begins, or after it on the way back to the
// program?
bool is_outside_syscall(std::string_view function)
{
    for (std::string_view part : {"exit_to_user_mode", "syscall_exit", "syscall_enter",
                                  "syscall_trace", "do_notify_resume", "schedule"})
        if (function.find(part) != function.npos)
            return true;
    return false;
}

bool has(const KernelStack &kernel, std::string_view part)
{
    return std::any_of(kernel.begin(), kernel.end(), [&](const std::string &frame) {
        return frame.find(part) != std::string::npos;
    });
}

constexpr struct {
    std::string_view call, why;
} reasons[] = {
    {"nanosleep", "sleep"},
    {"poll", "events"},
    {"select", "events"},
    {"epoll", "events"},
    {"io_getevents", "I/O"},
    {"io_uring", "I/O"},
    {"read", "I/O"},
    {"write", "I/O"},
    {"recv", "I/O"},
    {"send", "I/O"},
    {"accept", "I/O"},
    {"connect", "I/O"},
    {"sync", "I/O"},
    {"open", "I/O"},
    {"wait4", "child"},
    {"waitid", "child"},
    {"pause", "signal"},
    {"sigsuspend", "signal"},
    {"sigtimedwait", "signal"},
    {"flock", "lock"},
    {"fcntl", "lock"},
    {"sem", "lock"},
    {"msgrcv", "I/O"},
    {"vfork", "child"},
    {"clone", "child"},
};

// Queues of pools: their threads wait for work.
constexpr std::string_view queues[] = {"ThreadPoolExecutor.getTask", "ForkJoinPool.awaitWork",
                                       "runtime.stopm"};
// Functions that wait for something other than work, although they use conditions: locks (Rust's,
// Python's, Java's), ends of threads, results of other threads.
constexpr std::string_view waits_for_others[] = {
    "Thread.sleep", "_contended",   "take_gil", "drop_gil",        "PyThread_acquire_lock",
    "::join",       "pthread_join", "join_ex",  "ObjectMonitor::", "future",
    "_Async_state", "barrier",      "latch"};
// What the functions of a program stand on: standard libraries, wrappers of conditions, and the
// first functions of a JVM's threads.
constexpr std::string_view libraries[] = {
    "std::", "<std::", "core::", "<core::", "alloc::", "<alloc::", "libstdc++.so"};
constexpr std::string_view wrappers[] = {"_cond_",
                                         "Cond",
                                         "Monitor::wait",
                                         "Semaphore::",
                                         "Thread::call_run",
                                         "thread_main_inner",
                                         "thread_native_entry",
                                         "ConcurrentGCThread::run"};

bool contains_any(std::string_view name, std::span<const std::string_view> parts)
{
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return name.find(part) != name.npos; });
}

bool is_of_program(const output::Frame &frame)
{
    bool is_of_library =
        frame.kind == output::FrameKind::Libc ||
        std::any_of(std::begin(libraries), std::end(libraries),
                    [&](std::string_view start) { return frame.name.starts_with(start); });
    return !is_of_library && !contains_any(frame.name, wrappers);
}

}  // namespace

std::string syscall_of(const KernelStack &kernel)
{
    // The kernel's entry calls a function such as __x64_sys_futex or __arm64_sys_futex, which may
    // jump to another one, such as ksys_read, __sys_recvmsg or kernel_wait4.
    std::string_view called;
    for (const std::string &frame : kernel) {
        std::string_view function = std::string_view(frame).substr(0, frame.find('+'));
        if (function == "x64_sys_call" || function == "do_syscall_64" ||
            function == "invoke_syscall" || function.starts_with("el0_svc"))
            return is_outside_syscall(called) ? "" : without_prefix(called);
        called = function;
    }
    return "";
}

std::string_view wait_reason(const KernelStack &kernel, std::string_view in_futex)
{
    if (has(kernel, "io_schedule"))
        return "disk";
    if (has(kernel, "mutex_lock") || has(kernel, "rwsem_down"))
        return "kernel lock";
    std::string call = syscall_of(kernel);
    if (call.find("futex") != std::string::npos)
        return in_futex;
    for (const auto &reason : reasons) {
        if (!call.empty() && call.find(reason.call) != std::string::npos)
            return reason.why;
    }
    if (call.empty() && (has(kernel, "page_fault") || has(kernel, "handle_mm_fault")))
        return "page fault";
    return kernel.empty() ? "unknown" : "other";
}

bool is_idle(const output::NamedStack &stack, std::string_view why)
{
    constexpr ptrdiff_t max_functions = 2;
    const auto &user = stack.user;
    if (user.empty()) {
        bool is_worker =
            has(stack.kernel, "worker_thread") && !has(stack.kernel, "process_one_work");
        return is_worker || has(stack.kernel, "smpboot_thread_fn") || has(stack.kernel, "kthreadd");
    }
    auto calls = [&](std::span<const std::string_view> names) {
        return std::any_of(user.begin(), user.end(), [&](const output::Frame &frame) {
            return contains_any(frame.name, names);
        });
    };
    if (calls(queues))
        return true;
    bool may_wait_for_work = why == "wait" || why == "timed wait" || why == "events";
    bool is_main_thread = user.back().name.starts_with("_start");
    bool is_known = stack.cut.empty() && !user.back().name.starts_with('[');  // "[not walked: …]"
    if (!may_wait_for_work || is_main_thread || !is_known || calls(waits_for_others))
        return false;
    return std::count_if(user.begin(), user.end(), is_of_program) <= max_functions;
}

void leave_out_interrupted(output::NamedStack &waker)
{
    constexpr std::string_view entries[] = {
        "asm_sysvec_", "asm_common_interrupt", "el1h_64_irq", "el0t_64_irq", "el1_irq", "el0_irq"};
    auto is_entry = [&](const std::string &frame) {
        return std::any_of(std::begin(entries), std::end(entries),
                           [&](std::string_view entry) { return frame.starts_with(entry); });
    };
    auto entry = std::find_if(waker.kernel.begin(), waker.kernel.end(), is_entry);
    if (entry == waker.kernel.end())
        return;
    waker.kernel.erase(entry + 1, waker.kernel.end());
    waker.user.clear();
    waker.cut.clear();
    waker.comm = "[interrupt]";
    waker.pid = 0;
}

}  // namespace uscope::symbols
