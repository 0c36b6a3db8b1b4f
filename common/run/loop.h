// The event loop of all tools: waits for descriptors, timers, signals, and the end of processes.
#pragma once

#include <csignal>
#include <functional>
#include <map>
#include <vector>

#include <sys/types.h>

#include "base/fd.h"
#include "base/result.h"

namespace uscope::run {

class Loop {
  public:
    // From this call on, signals that end a tool (attach/signals.h) make run() return.
    static Result<Loop> create();
    Loop(Loop &&) = default;
    ~Loop() { end(); }

    // Makes the loop call `action` again and again as long as `fd` is readable. The caller still
    // owns the descriptor.
    Result<> on_readable(int fd, std::function<void()> action);
    // For a ring buffer: makes the loop call `action` once each time that the programs wake the
    // reader, even if the buffer still contains records after that. look_again() makes the loop
    // call it once more if the buffer contains records.
    Result<> on_woken(int fd, std::function<void()> action);
    void look_again(int fd);
    void forget(int fd);  // the loop no longer waits for `fd`
    Result<> every(unsigned milliseconds, std::function<void()> action);
    Result<> once_after(unsigned milliseconds, std::function<void()> action);
    // Makes the loop call `action` when the process ends. Errors: there is no such process.
    Result<> on_exit(pid_t pid, std::function<void()> action);

    // Makes the loop call `action` for this end signal, which then does not end run().
    void on_signal(int number, std::function<void()> action)
    {
        signal_actions_[number] = std::move(action);
    }

    // The same for a signal that is no end signal, until run() returns.
    Result<> on_other_signal(int number, std::function<void()> action);
    // Makes run(), or the destructor, call `action` when no other action will be called any more.
    void on_end(std::function<void()> action) { ends_.push_back(std::move(action)); }
    void drop_ends() { ends_.clear(); }

    void stop() { stopped_ = true; }
    bool stopped() const { return stopped_; }
    // Runs until stop() is called or a signal arrives, which may have been before run(). Signals
    // that arrive after run() are handled as attach::handle_signals_in_cleanup() describes.
    Result<> run();
    int signal() const { return signal_; }  // the signal that ended run(); 0: none

  private:
    Loop() = default;
    Result<> watch(int fd, uint32_t how, std::function<void()> action);
    void handle_signal();
    void end();
    Result<> timer(unsigned milliseconds, bool again, std::function<void()> action);

    Fd epoll_, signals_;
    std::vector<Fd> owned_;
    std::map<int, std::function<void()>> actions_, signal_actions_;
    std::vector<std::function<void()>> ends_;
    sigset_t other_signals_ = {};
    bool stopped_ = false;
    int signal_ = 0;
};

}  // namespace uscope::run
