#include "run/settings.h"

#include <csignal>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace uscope::run {
namespace {

sighandler_t handler(int number)
{
    struct sigaction action;
    sigaction(number, nullptr, &action);
    return action.sa_handler;
}

rlim_t max_files()
{
    rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
}

// Calls `holds` in a forked process, and returns its wait status: 0 if `holds` returned true.
int status_of(const std::function<bool()> &holds)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(holds() ? 0 : 1);
    int status = -1;
    waitpid(pid, &status, 0);
    return status;
}

TEST(Settings, AreTakenBackForTheProgramThatIsStarted)
{
    EXPECT_EQ(status_of([] {
                  rlimit limit;
                  getrlimit(RLIMIT_NOFILE, &limit);
                  limit.rlim_cur = 64;
                  setrlimit(RLIMIT_NOFILE, &limit);
                  take_settings();
                  if (max_files() != limit.rlim_max || handler(SIGPIPE) == SIG_DFL ||
                      handler(SIGXFSZ) != SIG_IGN || handler(SIGBUS) == SIG_DFL)
                      return false;
                  restore_settings();
                  return max_files() == 64 && handler(SIGPIPE) == SIG_DFL &&
                         handler(SIGXFSZ) == SIG_DFL && handler(SIGBUS) == SIG_DFL &&
                         handler(SIGTERM) == SIG_DFL;
              }),
              0);
}

// After end_by_signals(), a signal kills the process. Without it, the process ends with status 0.
TEST(Settings, ThatAttachNothingEndByTheSignal)
{
    int status = status_of([] {
        take_settings();
        end_by_signals();
        raise(SIGTERM);
        return true;
    });
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGTERM);
    status = status_of([] {
        take_settings();
        raise(SIGTERM);
        return false;
    });
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace uscope::run
