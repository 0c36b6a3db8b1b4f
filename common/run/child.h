// A program that is started stopped, before its first instruction, and let go once everything is
// attached.
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
    ~Child();  // ends it if it still runs: SIGTERM, and SIGKILL when that does not help

    pid_t pid() const { return pid_; }
    // Executes the program. Errors: it cannot be executed (named, with the reason). Not that it has ended while it
    // waited: by the Ctrl-C that ends us as well.
    Result<> release();

  private:
    Child() = default;
    std::string name_;
    pid_t pid_ = 0;
    Fd go_, failed_;  // write end: "go"; read end: errno of exec, closed by its success
};

}  // namespace uscope::run
