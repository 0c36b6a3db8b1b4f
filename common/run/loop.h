// The event loop of all tools: descriptors, timers, signals, and ends of processes.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include <sys/types.h>

#include "base/fd.h"
#include "base/result.h"

namespace uscope::run {

class Loop {
  public:
    // From now on, signals that end a tool (attach/signals.h) end run().
    static Result<Loop> create();

    // Calls `action` while `fd` is readable. The caller keeps the descriptor.
    Result<> on_readable(int fd, std::function<void()> action);
    // For a ring buffer: calls `action` when the programs wake the reader, but not as long as the
    // buffer has records. look_again() makes the loop call it again if there are any.
    Result<> on_woken(int fd, std::function<void()> action);
    void look_again(int fd);
    void forget(int fd);
    Result<> every(unsigned milliseconds, std::function<void()> action);
    Result<> once_after(unsigned milliseconds, std::function<void()> action);
    // Calls `action` when the process ends. Errors: there is no such process.
    Result<> on_exit(pid_t pid, std::function<void()> action);

    void stop() { stopped_ = true; }
    bool stopped() const { return stopped_; }
    // Runs until stop() or a signal, including one that came before. Later signals are handled as
    // attach::handle_signals_in_cleanup() describes.
    Result<> run();
    int signal() const { return signal_; }  // the signal that ended it; 0: none

  private:
    Loop() = default;
    Result<> watch(int fd, uint32_t how, std::function<void()> action);
    Result<> timer(unsigned milliseconds, bool again, std::function<void()> action);

    Fd epoll_, signals_;
    std::vector<Fd> owned_;
    std::map<int, std::function<void()>> actions_;
    bool stopped_ = false;
    int signal_ = 0;
};

}  // namespace uscope::run
