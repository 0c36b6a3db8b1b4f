// Blocks the signals that end a tool, and reacts to them.
#include "attach/signals.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <utility>

#include <unistd.h>

namespace uscope::attach {
namespace {

constexpr int standard_signals[] = {SIGHUP,    SIGINT,  SIGQUIT,  SIGUSR1, SIGUSR2,
                                    SIGALRM,   SIGTERM, SIGXCPU,  SIGPROF, SIGPOLL,
                                    SIGVTALRM, SIGPWR,  SIGSTKFLT};

std::atomic<size_t> probe_count = 0;
volatile sig_atomic_t is_waiting = 0, is_asked_again = 0;  // CleanupWait
volatile uint64_t last_handled_ns = 0;  // when the last signal was handled; 0: none yet

// Like monotonic_ns() of base/clock.h, which signal handlers may not call: its first call reads a
// file. Unlike monotonic_ns(), this does not subtract the offset of a time namespace.
uint64_t handler_ns()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec);
}

struct Original {          // the process's signal state before this file changes it
    sigset_t end_signals;  // what the function end_signals() returns
    sigset_t mask;         // the signals that the process blocks
    struct sigaction actions[_NSIG];
    bool is_known = false;
} original;

// Stores the original signal state. The first call of end_signals() does this, rather than
// install_end_handlers(), because unit tests do not call the latter.
void store_original()
{
    sigemptyset(&original.end_signals);
    auto add = [](int number) {
        sigaction(number, nullptr, &original.actions[number]);
        bool ignored = original.actions[number].sa_handler == SIG_IGN;
        if (!ignored || number == SIGINT || number == SIGTERM)
            sigaddset(&original.end_signals, number);
    };
    for (int number : standard_signals)
        add(number);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        add(number);
    sigprocmask(SIG_BLOCK, nullptr, &original.mask);
    original.is_known = true;
}

// Formats a line in a signal handler, which may neither allocate memory nor use stdio.
class Line {
  public:
    void add(const char *text)
    {
        while (*text && used_ < sizeof(text_))
            text_[used_++] = *text++;
    }
    void add(size_t number)
    {
        char digits[24];
        size_t at = sizeof(digits);
        digits[--at] = 0;
        do {
            digits[--at] = '0' + number % 10;
        } while (number /= 10);
        add(digits + at);
    }
    void write_out() const
    {
        [[maybe_unused]] ssize_t written = write(STDERR_FILENO, text_, used_);
    }

  private:
    char text_[256];
    size_t used_ = 0;
};

void end_at_once(int)
{
    Line line;
    line.add(program_invocation_short_name);
    line.add(": ended before anything was attached\n");
    line.write_out();
    _exit(0);
}

// Handles an end signal during cleanup (see the header). Ignores repeated signals: if a wrapper
// forwards Ctrl-C to the tool, it arrives twice, because the terminal sends it to the whole process
// group.
void handle_in_cleanup(int number)
{
    constexpr uint64_t repeat_ns = 500'000'000;
    uint64_t now = handler_ns();
    bool is_first = !last_handled_ns;
    if (!is_first && now - last_handled_ns < repeat_ns)
        return;
    last_handled_ns = now;
    if (is_waiting) {
        is_asked_again = 1;
        return;
    }
    size_t left = probe_count;
    if (!left) {
        if (is_first)
            return;  // it asks the tool to end, which the tool is already doing
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    int error = errno;
    Line line;
    line.add(program_invocation_short_name);
    line.add(": detaching ");
    line.add(left);
    line.add(left == 1 ? " probe; killing the tool now would leave it"
                       : " probes; killing the tool now would leave them");
    line.add(" in the traced programs\n");
    line.write_out();
    errno = error;
}

void set_handlers(void (*handler)(int))
{
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    for (int number = 1; number < _NSIG; number++) {
        if (sigismember(&original.end_signals, number) == 1)
            sigaction(number, &action, nullptr);
    }
}

}  // namespace

const sigset_t &end_signals()
{
    if (!original.is_known)
        store_original();
    return original.end_signals;
}

void install_end_handlers()
{
    end_signals();
    set_handlers(end_at_once);
}

void restore_end_signals()
{
    for (int number = 1; number < _NSIG; number++) {
        if (sigismember(&original.end_signals, number) == 1)
            sigaction(number, &original.actions[number], nullptr);
    }
    sigprocmask(SIG_SETMASK, &original.mask, nullptr);
}

void block_end_signals()
{
    sigprocmask(SIG_BLOCK, &end_signals(), nullptr);
}

void unblock_end_signals()
{
    sigprocmask(SIG_SETMASK, &original.mask, nullptr);
}

bool is_end_signal_pending()
{
    sigset_t pending, ends;
    sigpending(&pending);
    sigandset(&ends, &pending, &end_signals());
    return !sigisemptyset(&ends);
}

void handle_signals_in_cleanup(bool by_signal)
{
    last_handled_ns = by_signal ? handler_ns() : 0;
    sigset_t ends = end_signals();
    set_handlers(handle_in_cleanup);
    sigprocmask(SIG_UNBLOCK, &ends, nullptr);
}

CleanupWait::CleanupWait()
{
    is_waiting = 1;
}

CleanupWait::~CleanupWait()
{
    is_waiting = 0;
}

bool CleanupWait::is_interrupted() const
{
    return is_asked_again != 0;
}

AttachedCount::AttachedCount(size_t probes) : probes_(probes)
{
    probe_count += probes;
}

AttachedCount::AttachedCount(AttachedCount &&other) noexcept
    : probes_(std::exchange(other.probes_, 0))
{
}

AttachedCount &AttachedCount::operator=(AttachedCount &&other) noexcept
{
    std::swap(probes_, other.probes_);
    return *this;
}

AttachedCount::~AttachedCount()
{
    probe_count -= probes_;
}

size_t attached_probes()
{
    return probe_count;
}

}  // namespace uscope::attach
