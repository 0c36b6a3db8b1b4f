// A command that the tool starts. The new process waits until the tool has attached its probes, and
// only then executes the program.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/result.h"

namespace uscope::run {

class Child {
  public:
    // Forks. The new process waits for release() before it executes the command `words`, whose
    // program it searches for in PATH, with `output` as its standard output.
    static Result<Child> start(const std::vector<std::string> &words, int output = STDOUT_FILENO);
    Child(Child &&other) noexcept;
    Child &operator=(Child &&) = delete;
    ~Child();  // ends the command if it still runs: by SIGTERM, and by SIGKILL after 2 seconds

    pid_t pid() const { return pid_; }
    // Lets the new process execute the program. Errors: the program cannot be executed (the error
    // has its name and the reason). It is no error if the waiting process has already ended,
    // because a Ctrl-C ends it together with the tool.
    Result<> release();

  private:
    Child() = default;
    std::string name_;
    pid_t pid_ = 0;
    Fd go_;      // write end of a pipe: a byte makes the new process execute the program
    Fd failed_;  // read end of a pipe: contains errno if exec fails; exec closes the write end
};

}  // namespace uscope::run
