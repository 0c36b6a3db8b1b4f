// Blocks and answers the signals that end a tool.
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
volatile uint64_t last_answer_ns = 0;  // 0: none yet

// For use in a signal handler, unlike base/clock.h, which reads a file the first time.
uint64_t handler_ns()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec);
}

struct Before {  // the state before take_end_signals()
    sigset_t ends, mask;
    struct sigaction actions[_NSIG];
    bool taken = false;
} before;

// Called by end_signals() if needed: programs that use these functions without being a tool (tests
// of the library) do not call take_end_signals().
void find_end_signals()
{
    sigemptyset(&before.ends);
    auto add = [](int number) {
        sigaction(number, nullptr, &before.actions[number]);
        bool ignored = before.actions[number].sa_handler == SIG_IGN;
        if (!ignored || number == SIGINT || number == SIGTERM)
            sigaddset(&before.ends, number);
    };
    for (int number : standard_signals)
        add(number);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        add(number);
    sigprocmask(SIG_BLOCK, nullptr, &before.mask);
    before.taken = true;
}

// Formats a line in a signal handler, which may not allocate memory or use stdio.
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

// One Ctrl-C arrives several times if a wrapper passes it on: to its child, and to the group.
void answer(int number)
{
    constexpr uint64_t same_ns = 500'000'000;
    uint64_t now = handler_ns();
    bool is_first = !last_answer_ns;
    if (!is_first && now - last_answer_ns < same_ns)
        return;
    last_answer_ns = now;
    size_t left = probe_count;
    if (!left) {
        if (is_first)
            return;  // what it asks for is already being done
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

void handle(void (*handler)(int))
{
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    for (int number = 1; number < _NSIG; number++) {
        if (sigismember(&before.ends, number) == 1)
            sigaction(number, &action, nullptr);
    }
}

}  // namespace

const sigset_t &end_signals()
{
    if (!before.taken)
        find_end_signals();
    return before.ends;
}

void take_end_signals()
{
    end_signals();
    handle(end_at_once);
}

void restore_end_signals()
{
    for (int number = 1; number < _NSIG; number++) {
        if (sigismember(&before.ends, number) == 1)
            sigaction(number, &before.actions[number], nullptr);
    }
    sigprocmask(SIG_SETMASK, &before.mask, nullptr);
}

void hold_end_signals()
{
    sigprocmask(SIG_BLOCK, &end_signals(), nullptr);
}

void release_end_signals()
{
    sigprocmask(SIG_SETMASK, &before.mask, nullptr);
}

bool end_signal_waits()
{
    sigset_t waiting, ends;
    sigpending(&waiting);
    sigandset(&ends, &waiting, &end_signals());
    return !sigisemptyset(&ends);
}

void answer_end_signals(bool by_signal)
{
    last_answer_ns = by_signal ? handler_ns() : 0;
    sigset_t ends = end_signals();
    handle(answer);
    sigprocmask(SIG_UNBLOCK, &ends, nullptr);
}

Attached::Attached(size_t probes) : probes_(probes)
{
    probe_count += probes;
}

Attached::Attached(Attached &&other) noexcept : probes_(std::exchange(other.probes_, 0)) {}

Attached &Attached::operator=(Attached &&other) noexcept
{
    std::swap(probes_, other.probes_);
    return *this;
}

Attached::~Attached()
{
    probe_count -= probes_;
}

size_t attached_probes()
{
    return probe_count;
}

}  // namespace uscope::attach
