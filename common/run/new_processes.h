// Finds the processes of certain programs: those that run, and each one that starts later.
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
    // Which processes to find. `name` is a file's name without folders, in any container.
    struct Wanted {
        std::function<bool(std::string_view name)> program = {};  // null: every program
        // Also processes that map such a library, at their start or later; null: no library.
        std::function<bool(std::string_view name)> library = {};
        std::function<bool(pid_t)> process = {};  // null: every process
    };
    struct Handlers {
        // May be called several times for a process, and after the process has ended. `mapped`: the
        // file that the process has just mapped (at its start, the program); null: it already ran.
        std::function<void(pid_t, const proc::Mapping *mapped)> found = {};
        std::function<void(pid_t child, pid_t parent)> forked = [](pid_t, pid_t) {};
        // It runs another program.
        std::function<void(pid_t, std::string_view comm)> executed = [](pid_t, std::string_view) {};
        std::function<void(pid_t)> ended = [](pid_t) {};
    };

    NewProcesses(Wanted wanted, Handlers handlers)
        : wanted_(std::move(wanted)), handlers_(std::move(handlers))
    {
    }
    NewProcesses(const NewProcesses &) = delete;

    // Makes the loop find new processes. Errors: not permitted (they say what is missing); look()
    // works nevertheless.
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
    std::set<pid_t> started_;  // their first mapping, the program, is not yet reported
    std::set<pid_t> gone_;     // had ended when they were found; their children may still run
    std::optional<proc::Watch> watch_;
};

}  // namespace uscope::run
