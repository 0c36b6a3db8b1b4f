// Implements the event loop with epoll.
#include "run/loop.h"

#include <utility>

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include "attach/signals.h"

namespace uscope::run {
Result<Loop> Loop::create()
{
    Loop loop;
    sigemptyset(&loop.other_signals_);
    loop.epoll_ = Fd(epoll_create1(EPOLL_CLOEXEC));
    if (!loop.epoll_)
        return fail_errno("cannot create an epoll instance");

    attach::block_end_signals();
    loop.signals_ = Fd(signalfd(-1, &attach::end_signals(), SFD_CLOEXEC | SFD_NONBLOCK));
    if (!loop.signals_)
        return fail_errno("cannot watch for signals");
    epoll_event event = {.events = EPOLLIN, .data = {.fd = loop.signals_.get()}};
    if (epoll_ctl(loop.epoll_.get(), EPOLL_CTL_ADD, loop.signals_.get(), &event) != 0)
        return fail_errno("cannot watch for signals");
    return loop;
}

Result<> Loop::watch(int fd, uint32_t how, std::function<void()> action)
{
    epoll_event event = {.events = how, .data = {.fd = fd}};
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
        return fail_errno("cannot watch a descriptor");
    actions_[fd] = std::move(action);
    return {};
}

Result<> Loop::on_readable(int fd, std::function<void()> action)
{
    return watch(fd, EPOLLIN, std::move(action));
}

Result<> Loop::on_woken(int fd, std::function<void()> action)
{
    return watch(fd, EPOLLIN | EPOLLET, std::move(action));
}

// EPOLL_CTL_MOD makes the kernel check again whether the descriptor is readable.
void Loop::look_again(int fd)
{
    epoll_event event = {.events = EPOLLIN | EPOLLET, .data = {.fd = fd}};
    epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void Loop::forget(int fd)
{
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
    actions_.erase(fd);
}

Result<> Loop::timer(unsigned milliseconds, bool again, std::function<void()> action)
{
    Fd fd(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    if (!fd)
        return fail_errno("cannot create a timer");
    itimerspec when = {};
    when.it_value.tv_sec = milliseconds / 1000;
    when.it_value.tv_nsec = milliseconds % 1000 * 1'000'000;
    if (again)
        when.it_interval = when.it_value;
    if (timerfd_settime(fd.get(), 0, &when, nullptr) != 0)
        return fail_errno("cannot start a timer");
    int number = fd.get();
    owned_.push_back(std::move(fd));
    return on_readable(number, [number, action = std::move(action)] {
        uint64_t times;
        if (read(number, &times, sizeof(times)) > 0)
            action();
    });
}

Result<> Loop::every(unsigned milliseconds, std::function<void()> action)
{
    return timer(milliseconds, true, std::move(action));
}

Result<> Loop::once_after(unsigned milliseconds, std::function<void()> action)
{
    return timer(milliseconds, false, std::move(action));
}

Result<> Loop::on_exit(pid_t pid, std::function<void()> action)
{
    Fd fd(syscall(SYS_pidfd_open, pid, 0));
    if (!fd)
        return fail_errno("cannot watch process {}", pid);
    int number = fd.get();
    owned_.push_back(std::move(fd));
    return on_readable(number, [this, number, action = std::move(action)] {
        auto copy = action;  // forget() destroys this lambda and all that it has captured
        int fd = number;
        Loop &loop = *this;
        loop.forget(fd);
        std::erase_if(loop.owned_, [fd](const Fd &owned) { return owned.get() == fd; });
        copy();
    });
}

Result<> Loop::on_other_signal(int number, std::function<void()> action)
{
    sigset_t all = attach::end_signals();
    sigaddset(&other_signals_, number);
    sigorset(&all, &all, &other_signals_);
    sigprocmask(SIG_BLOCK, &other_signals_, nullptr);
    if (signalfd(signals_.get(), &all, 0) < 0)
        return fail_errno("cannot watch for signals");
    signal_actions_[number] = std::move(action);
    return {};
}

void Loop::handle_signal()
{
    signalfd_siginfo info;
    if (read(signals_.get(), &info, sizeof(info)) != sizeof(info))
        return;
    if (auto action = signal_actions_.find(int(info.ssi_signo)); action != signal_actions_.end()) {
        action->second();
        return;
    }
    signal_ = int(info.ssi_signo);
    stopped_ = true;
}

Result<> Loop::run()
{
    while (!stopped_) {
        epoll_event events[16];
        int count = epoll_wait(epoll_.get(), events, 16, -1);
        if (count < 0 && errno != EINTR) {
            Result<> failure = fail_errno("cannot wait for events");
            end();
            return failure;
        }
        for (int i = 0; i < count && !stopped_; i++) {
            int fd = events[i].data.fd;
            if (fd == signals_.get()) {
                handle_signal();
            } else if (auto action = actions_.find(fd); action != actions_.end()) {
                action->second();
            }
        }
    }
    end();
    attach::handle_signals_in_cleanup(signal_ != 0);
    return {};
}

void Loop::end()
{
    for (const auto &action : std::exchange(ends_, {}))
        action();
    sigprocmask(SIG_UNBLOCK, &other_signals_, nullptr);
}

}  // namespace uscope::run
