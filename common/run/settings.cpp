// Sets and restores signal handlers and the limit of open files.
#include "run/settings.h"

#include <csignal>
#include <initializer_list>

#include <sys/resource.h>
#include <unistd.h>

#include "attach/signals.h"

namespace uscope::run {
namespace {

rlimit open_files = {};  // the limits before take_settings(); 0: not changed

void on_sigbus(int)
{
    static const char text[] = "a file that was being read has been truncated; try again\n";
    [[maybe_unused]] ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(1);
}

// If the output's reader has closed the pipe, write() fails, and SIGPIPE seems to come from this
// process itself: ignores it. A SIGPIPE from another process ends the tool, as other signals do.
void on_sigpipe(int, siginfo_t *info, void *)
{
    if (info->si_pid != getpid())
        kill(getpid(), SIGTERM);
}

void take_sigpipe()
{
    struct sigaction action = {}, before = {};
    sigaction(SIGPIPE, nullptr, &before);
    action.sa_sigaction = on_sigpipe;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    if (before.sa_handler != SIG_IGN)
        sigaction(SIGPIPE, &action, nullptr);
}

}  // namespace

void take_settings()
{
    attach::install_end_handlers();
    take_sigpipe();
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGBUS, on_sigbus);
    if (getrlimit(RLIMIT_NOFILE, &open_files) == 0) {
        rlimit max = open_files;
        max.rlim_cur = max.rlim_max;
        setrlimit(RLIMIT_NOFILE, &max);
    }
}

void end_by_signals()
{
    attach::restore_end_signals();
}

void restore_settings()
{
    for (int number : {SIGPIPE, SIGXFSZ, SIGBUS})
        signal(number, SIG_DFL);
    if (open_files.rlim_max)
        setrlimit(RLIMIT_NOFILE, &open_files);
    attach::restore_end_signals();
}

}  // namespace uscope::run
