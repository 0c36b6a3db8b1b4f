// The programs of a certain kind: those that run, and each one that starts.
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
    // Files are chosen by their names: of whatever container, under whatever path.
    struct Wanted {
        std::function<bool(std::string_view name)> program = {};  // null: every program
        // Also what has such a library, from its start or loaded later; null: none.
        std::function<bool(std::string_view name)> library = {};
        std::function<bool(pid_t)> process = {};  // null: every process
    };
    struct Handlers {
        // May be called again for the same process. `mapped`: the file that has just been mapped, the
        // program of one that has just started; the process may have ended already.
        std::function<void(pid_t, const proc::Mapping *mapped)> found = {};
        std::function<void(pid_t child, pid_t parent)> forked = {};
        std::function<void(pid_t, std::string_view comm)> executed =
            {};  // it runs another program from now on
        std::function<void(pid_t)> ended = {};
    };

    NewProcesses(Wanted wanted, Handlers handlers)
        : wanted_(std::move(wanted)), handlers_(std::move(handlers))
    {
    }
    NewProcesses(const NewProcesses &) = delete;

    // Begins to listen for new processes, in the loop. Errors: not permitted, and what is missing;
    // look() works nevertheless.
    Result<> listen(Loop &loop);
    // Hands over those that run now. After listen(): none falls between the two.
    void look();

  private:
    bool is_wanted(pid_t pid) const;
    void mapped(pid_t pid, const proc::Mapping &mapping);
    void forked(pid_t child, pid_t parent);
    void found(pid_t pid, const proc::Mapping *mapping);

    Wanted wanted_;
    Handlers handlers_;
    std::set<pid_t> started_;  // whose first mapping, that of the program, is awaited
    std::set<pid_t> gone_;     // had ended when they were found; what they forked may go on
    std::optional<proc::Watch> watch_;
};

}  // namespace uscope::run
