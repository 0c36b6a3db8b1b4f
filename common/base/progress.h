// Shows on the terminal what a tool is doing if that takes longer than a second:
//
//     funccount: attaching, 3000 of 10000
//
// The line is rewritten in place while the work goes on, and erased when the work is done.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

#include <pthread.h>

namespace uscope {

// One activity of the main thread: it lasts as long as this object exists. `what` is its text
// ("attaching"); `total` is the number of items to process, 0 if unknown. Activities may be nested;
// the line shows the innermost one.
class Work {
  public:
    explicit Work(const char *what, size_t total = 0);
    Work(const Work &) = delete;
    ~Work();
    // Reports that `count` items have been processed so far.
    void done(size_t count) { done_ = count; }

  private:
    friend class ProgressLine;
    const char *what_;
    size_t total_;
    std::atomic<size_t> done_ = 0;
    Work *outer_;
};

// Shows the activities of the tool on standard error from now on. Until end_start(), "starting" is
// the outermost one.
void start_progress(const std::string &tool);
void end_start();
// Call before other text is written to the terminal.
void erase_progress();

// Shows nothing after `show` was false, until it is true: another display has the terminal.
void show_progress(bool show);

// Owns the terminal's line, and the thread that writes it. At most one object of this class exists;
// without one, Work shows nothing.
class ProgressLine {
  public:
    // `name`: the tool's name, with which the line starts. `fd`: the terminal. `delay`: how long
    // the outermost activity must last before the line appears.
    ProgressLine(std::string name, int fd, std::chrono::milliseconds delay);
    ~ProgressLine();
    void erase();
    void show(bool show);

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
    std::chrono::steady_clock::time_point start_;  // when the outermost activity began
    bool is_shown_ = false, is_wanted_ = true, ends_ = false;
    pthread_t thread_ = {};
    bool has_thread_ = false;
};

}  // namespace uscope
