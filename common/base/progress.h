// Shows on the terminal what a tool is doing, while that takes longer than a second:
//
//     funccount: attaching, 3000 of 10000
//
// The line is rewritten in place, and erased when the work is done.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace uscope {

// While this object exists, the main thread does `what`, with `total` things; 0: unknown. Within a
// longer work, only the innermost one is shown.
class Work {
  public:
    explicit Work(const char *what, size_t total = 0);
    Work(const Work &) = delete;
    ~Work();
    void done(size_t count) { done_ = count; }

  private:
    friend class ProgressLine;
    const char *what_;
    size_t total_;
    std::atomic<size_t> done_ = 0;
    Work *outer_;
};

// From now on, shows the tool's work on standard error. Until end_start(), that is "starting".
void start_progress(const std::string &tool);
void end_start();
// Call before other text is written to the terminal.
void erase_progress();

// Owns the line, and the thread that writes it. At most one exists; without it, nothing is shown.
class ProgressLine {
  public:
    // `name`: the tool's. `fd`: the terminal.
    ProgressLine(std::string name, int fd, std::chrono::milliseconds delay);
    ~ProgressLine();
    void erase();

  private:
    friend class Work;
    void set(Work *work);
    void erase_locked();
    void run();
    void draw();

    const std::string name_;
    const int fd_;
    const std::chrono::milliseconds delay_;
    std::mutex mutex_;
    std::condition_variable changed_;
    Work *work_ = nullptr;
    std::chrono::steady_clock::time_point start_;  // of the outermost work
    bool is_shown_ = false, ends_ = false;
    std::thread thread_;
};

}  // namespace uscope
