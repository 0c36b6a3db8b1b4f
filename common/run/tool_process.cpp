// Forks and executes, and waits.
//
// The tool itself asks the kernel for a signal at its parent's end: a file with capabilities would
// lose such a request when it is executed.
#include "run/tool_process.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/format.h"
#include "base/text.h"
#include "run/settings.h"

namespace uscope::run {
namespace {

constexpr const char *starter_variable = "USCOPE_STARTER";

[[noreturn]] void execute(const std::vector<std::string> &words, int output, int errors, int ready,
                          const std::string &starter)
{
    restore_settings();
    Fd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
    dup2(null.get(), STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    fcntl(ready, F_SETFD, 0);
    setenv("USCOPE_READY_FD", fmt::format("{}", ready).c_str(), 1);
    setenv(starter_variable, starter.c_str(), 1);
    unsetenv("USCOPE_RECORD");
    std::vector<char *> arguments;
    for (const std::string &word : words)
        arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);
    execv("/proc/self/exe", arguments.data());
    _exit(127);
}

}  // namespace

Result<ToolProcess> ToolProcess::start(const std::vector<std::string> &words, int output,
                                       int errors)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_errno("cannot start {}", words[0]);
    ToolProcess process;
    process.ready_ = Fd(ends[0]);
    Fd ready_end(ends[1]);
    std::string starter = fmt::format("{}", getpid());
    fflush(nullptr);
    process.pid_ = fork();
    if (process.pid_ == 0)
        execute(words, output, errors, ready_end.get(), starter);
    if (process.pid_ < 0) {
        process.pid_ = 0;
        return fail_errno("cannot start {}", words[0]);
    }
    process.ended_ = Fd(int(syscall(SYS_pidfd_open, process.pid_, 0)));
    if (!process.ended_)
        return fail_errno("cannot watch {}", words[0]);
    return process;
}

ToolProcess::ToolProcess(ToolProcess &&other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      ready_(std::move(other.ready_)),
      ended_(std::move(other.ended_))
{
}

ToolProcess &ToolProcess::operator=(ToolProcess &&other) noexcept
{
    std::swap(pid_, other.pid_);
    ready_ = std::move(other.ready_);
    ended_ = std::move(other.ended_);
    return *this;
}

ToolProcess::~ToolProcess()
{
    if (!pid_)
        return;
    signal(SIGTERM);
    await_end(-1);
}

bool ToolProcess::take_ready()
{
    char text[16];
    return read(ready_.get(), text, sizeof(text)) > 0;
}

void ToolProcess::signal(int number) const
{
    if (pid_)
        kill(pid_, number);
}

std::optional<ToolProcess::End> ToolProcess::await_end(int ms)
{
    pollfd event = {ended_.get(), POLLIN, 0};
    End end;
    if (ms >= 0 && poll(&event, 1, ms) <= 0)
        return std::nullopt;
    while (wait4(pid_, &end.status, 0, &end.used) < 0 && errno == EINTR)
        ;
    pid_ = 0;
    return end;
}

void end_with_starter(const char *name)
{
    const char *text = getenv(starter_variable);
    if (!text)
        return;
    auto starter = parse_number(text);
    unsetenv(starter_variable);  // the tool's own children stay
    prctl(PR_SET_NAME, name);    // after execv() of /proc/self/exe, it is "exe"
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (uint64_t(getppid()) != starter)
        _exit(1);  // it has ended before prctl(), so no signal comes
}

}  // namespace uscope::run
