// Forks, waits on a pipe, executes the program, and ends it.
#include "run/child.h"

#include <csignal>

#include <fcntl.h>
#include <sys/wait.h>

#include "proc/process.h"
#include "run/settings.h"

namespace uscope::run {
namespace {

constexpr int patience_ms = 2000;  // how long a program may take to end after SIGTERM

}  // namespace

Result<Child> Child::start(const std::vector<std::string> &words, int output)
{
    if (proc::runs_as_set_id())
        return fail("cannot start {}: a tool that is set-user-ID runs no commands", words[0]);
    int go[2], failed[2];
    if (pipe2(go, O_CLOEXEC) != 0 || pipe2(failed, O_CLOEXEC) != 0)
        return fail_errno("cannot create a pipe");
    Fd go_read(go[0]), failed_write(failed[1]);

    Child child;
    child.name_ = words[0];
    child.go_ = Fd(go[1]);
    child.failed_ = Fd(failed[0]);
    child.pid_ = fork();
    if (child.pid_ < 0)
        return fail_errno("cannot start {}", words[0]);
    if (child.pid_ == 0) {
        restore_settings();
        close(go[1]);  // otherwise, read() would not return when the tool ends
        char byte;
        if (read(go[0], &byte, 1) != 1)
            _exit(127);
        if (output != STDOUT_FILENO)
            dup2(output, STDOUT_FILENO);
        std::vector<char *> arguments;
        for (const std::string &word : words)
            arguments.push_back(const_cast<char *>(word.c_str()));
        arguments.push_back(nullptr);
        execvp(arguments[0], arguments.data());
        int error = errno;
        [[maybe_unused]] ssize_t written = write(failed[1], &error, sizeof(error));
        _exit(127);
    }
    return child;
}

Child::Child(Child &&other) noexcept
    : name_(std::move(other.name_)),
      pid_(std::exchange(other.pid_, 0)),
      go_(std::move(other.go_)),
      failed_(std::move(other.failed_))
{
}

Child::~Child()
{
    if (pid_ <= 0)
        return;
    kill(pid_, go_ ? SIGKILL : SIGTERM);
    for (int waited_ms = 0; waited_ms < patience_ms; waited_ms += 10) {
        if (waitpid(pid_, nullptr, WNOHANG) != 0)
            return;
        usleep(10'000);
    }
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
}

Result<> Child::release()
{
    bool has_ended = write(go_.get(), "g", 1) != 1;
    if (has_ended && errno != EPIPE)
        return fail_errno("cannot start {}", name_);
    go_ = Fd();
    int error;
    if (read(failed_.get(), &error, sizeof(error)) == sizeof(error)) {
        errno = error;
        return fail_errno("cannot execute {}", name_);
    }
    failed_ = Fd();
    return {};
}

}  // namespace uscope::run
