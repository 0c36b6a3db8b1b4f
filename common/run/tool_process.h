// Runs a tool of this program in a process of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

#include "base/fd.h"
#include "base/result.h"

namespace uscope::run {

class ToolProcess {
  public:
    // Executes this program again as the tool `words[0]`, with the other words as its command line,
    // nothing as its input, and these descriptors as its outputs. However this process ends, the
    // tool ends too, as by SIGTERM. Errors: no descriptors or processes are left.
    static Result<ToolProcess> start(const std::vector<std::string> &words, int output, int errors);
    ToolProcess() = default;  // none
    ToolProcess(ToolProcess &&other) noexcept;
    ToolProcess &operator=(ToolProcess &&other) noexcept;
    ~ToolProcess();  // ends it by SIGTERM if it still runs, and waits

    pid_t pid() const { return pid_; }  // 0: none, or await_end() has seen its end
    // Becomes readable when the tool has attached everything, or has ended: take_ready() then says
    // which.
    int ready_fd() const { return ready_.get(); }
    bool take_ready();
    void signal(int number) const;

    struct End {
        int status = 0;  // as of waitpid()
        rusage used = {};
    };
    // Waits for its end. Returns nullopt if it still runs after `ms`; -1: for ever.
    std::optional<End> await_end(int ms);

  private:
    pid_t pid_ = 0;
    Fd ready_, ended_;
};

// To be called at the start of main(): if another process has started this tool, makes it end with
// that process, and gives this process the name of the tool.
void end_with_starter(const char *name);

}  // namespace uscope::run
