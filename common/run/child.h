// A command that the tool starts: its process waits before it executes the program, until
// everything is attached.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "base/fd.h"
#include "base/result.h"

namespace uscope::run {

class Child {
  public:
    // Forks; the new process waits before it executes `words` (looked up in PATH).
    static Result<Child> start(const std::vector<std::string> &words);
    Child(Child &&other) noexcept;
    Child &operator=(Child &&) = delete;
    ~Child();  // ends it if it still runs: by SIGTERM, and by SIGKILL after 2 seconds

    pid_t pid() const { return pid_; }
    // Executes the program. Errors: it cannot be executed (with its name and the reason). It is no
    // error if the waiting process has ended: a Ctrl-C ends it together with the tool.
    Result<> release();

  private:
    Child() = default;
    std::string name_;
    pid_t pid_ = 0;
    Fd go_;      // write end of a pipe: a byte makes the process execute the program
    Fd failed_;  // read end of a pipe: has errno if exec fails; exec closes the write end
};

}  // namespace uscope::run
