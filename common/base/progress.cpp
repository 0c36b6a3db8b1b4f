// Writes the line of progress in a thread of its own, because a single system call of the main
// thread may take seconds.
#include "base/progress.h"

#include <csignal>
#include <optional>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/format.h"

namespace uscope {
namespace {

constexpr std::chrono::milliseconds redraw = std::chrono::milliseconds(250);
constexpr std::string_view erase_line = "\r\x1b[K";
ProgressLine *line = nullptr;

struct Start {
    explicit Start(const std::string &tool) : progress(tool, STDERR_FILENO, std::chrono::seconds(1))
    {
    }
    ProgressLine progress;
    std::optional<Work> work;
};
std::optional<Start> started;

}  // namespace

void start_progress(const std::string &tool)
{
    started.emplace(tool);
    started->work.emplace("starting");
}

void end_start()
{
    if (started)
        started->work.reset();
}

void erase_progress()
{
    if (started)
        started->progress.erase();
}

void show_progress(bool show)
{
    if (started)
        started->progress.show(show);
}

Work::Work(const char *what, size_t total)
    : what_(what), total_(total), outer_(line ? line->work_ : nullptr)
{
    if (line)
        line->set(this);
}

Work::~Work()
{
    if (line)
        line->set(outer_);
}

// Blocks all signals in the new thread, so that the kernel delivers them to the main thread.
ProgressLine::ProgressLine(std::string name, int fd, std::chrono::milliseconds delay)
    : name_(std::move(name)), fd_(fd), delay_(delay)
{
    sigset_t all, mask;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    auto run = [](void *self) -> void * {
        static_cast<ProgressLine *>(self)->run();
        return nullptr;
    };
    has_thread_ = pthread_create(&thread_, nullptr, run, this) == 0;  // else it shows nothing
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    line = this;
}

ProgressLine::~ProgressLine()
{
    line = nullptr;
    erase();
    {
        std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_one();
    if (has_thread_)
        pthread_join(thread_, nullptr);
}

void ProgressLine::set(Work *work)
{
    std::lock_guard lock(mutex_);
    if (!work_) {
        start_ = std::chrono::steady_clock::now();
        changed_.notify_one();
    }
    work_ = work;
    if (!work)
        erase_locked();
}

void ProgressLine::erase()
{
    std::lock_guard lock(mutex_);
    erase_locked();
}

void ProgressLine::show(bool show)
{
    std::lock_guard lock(mutex_);
    erase_locked();
    is_wanted_ = show;
}

void ProgressLine::erase_locked()
{
    if (is_shown_)
        is_shown_ = write(fd_, erase_line.data(), erase_line.size()) < 0;
}

void ProgressLine::run()
{
    std::unique_lock lock(mutex_);
    while (!ends_) {
        if (!work_) {
            changed_.wait(lock);
        } else if (std::chrono::steady_clock::now() < start_ + delay_) {
            changed_.wait_until(lock, start_ + delay_);
        } else {
            draw();
            changed_.wait_for(lock, redraw);
        }
    }
}

void ProgressLine::draw()
{
    if (!is_wanted_)
        return;
    std::string text = fmt::format("{}: {}", name_, work_->what_);
    if (work_->total_)
        text += fmt::format(", {} of {}", work_->done_.load(), work_->total_);
    winsize size = {};
    if (ioctl(fd_, TIOCGWINSZ, &size) == 0 && size.ws_col && text.size() >= size.ws_col)
        text.resize(size.ws_col - 1);
    text.insert(0, erase_line);
    is_shown_ = write(fd_, text.data(), text.size()) >= 0;
}

}  // namespace uscope
