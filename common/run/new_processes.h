// Finds the processes that run certain programs: those that run now, and each one that starts
// later.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string_view>

#include <sys/types.h>

#include "proc/watch.h"
#include "run/loop.h"

namespace uscope::run {

class NewProcesses {
  public:
    // Which processes to find, in any container. `name` is the name of a file without directories.
    struct Wanted {
        std::function<bool(std::string_view name)> program = {};  // null: every program
        // Also finds processes that map such a library when they start, or later; null: no library.
        std::function<bool(std::string_view name)> library = {};
        std::function<bool(pid_t)> process = {};  // null: every process
    };
    struct Handlers {
        // A process was found. May be called several times for a process, and after the process has
        // ended. `mapped`: the file that the process has just mapped (when a program starts, the
        // program's own file); null: the process was already running.
        std::function<void(pid_t, const proc::Mapping *mapped)> found = {};
        std::function<void(pid_t child, pid_t parent)> forked = [](pid_t, pid_t) {};
        // The process has executed another program.
        std::function<void(pid_t, std::string_view comm)> executed = [](pid_t, std::string_view) {};
        std::function<void(pid_t)> ended = [](pid_t) {};
    };

    NewProcesses(Wanted wanted, Handlers handlers)
        : wanted_(std::move(wanted)), handlers_(std::move(handlers))
    {
    }
    NewProcesses(const NewProcesses &) = delete;

    // Makes the loop find new processes. Errors: no permission (the error says what is missing);
    // look() works nevertheless.
    Result<> listen(Loop &loop);
    // Finds the processes that run now. Call it after listen(), so that no process is missed.
    void look();

  private:
    bool is_wanted(pid_t pid) const;
    void mapped(pid_t pid, const proc::Mapping &mapping);
    void forked(pid_t child, pid_t parent);
    void found(pid_t pid, const proc::Mapping *mapping);

    Wanted wanted_;
    Handlers handlers_;
    std::set<pid_t> started_;  // processes that have executed a program but not yet mapped it
    std::set<pid_t> gone_;     // found processes that had ended; their children may still run
    std::optional<proc::Watch> watch_;
};

}  // namespace uscope::run
