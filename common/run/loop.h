// The one event loop: descriptors, a timer, signals, processes that end.
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
    // Takes the signals over that end a tool (attach/signals.h): from here on they end run().
    static Result<Loop> create();

    Result<> on_readable(int fd,
                         std::function<void()> action);  // the descriptor stays the caller's
    // A ring buffer: `action` when its programs wake the reader, not as long as anything is in it; and once more after
    // look_again().
    Result<> on_woken(int fd, std::function<void()> action);
    void look_again(int fd);
    void forget(int fd);
    Result<> every(unsigned milliseconds, std::function<void()> action);
    Result<> once_after(unsigned milliseconds, std::function<void()> action);
    // `action` when the process ends. Errors: there is no such process.
    Result<> on_exit(pid_t pid, std::function<void()> action);

    void stop() { stopped_ = true; }
    bool stopped() const { return stopped_; }
    // Targets stop() or a signal, also one that came before. What comes afterwards is answered as
    // attach::answer_end_signals() says.
    Result<> run();
    int signal() const { return signal_; }  // which one ended it; 0: none

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
