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
    // By proc::executable_name(): of whatever container, under whatever path. Null: all.
    using Wanted = std::function<bool(std::string_view executable)>;
    // May be called again for the same process. `mapped`: of one that has just started, its program
    // as it was mapped; it may have ended already.
    using Found = std::function<void(pid_t, const proc::Mapping *mapped)>;

    NewProcesses(Wanted wanted, Found found) : wanted_(std::move(wanted)), found_(std::move(found))
    {
    }
    NewProcesses(const NewProcesses &) = delete;

    // Begins to listen for new processes, in the loop. Errors: not permitted, and what is missing;
    // look() works nevertheless.
    Result<> listen(Loop &loop);
    // Hands over those that run now. After listen(): none falls between the two.
    void look();

  private:
    void look_at(pid_t pid, std::string_view executable, const proc::Mapping *mapped);

    Wanted wanted_;
    Found found_;
    std::set<pid_t> started_;  // whose first mapping, that of the program, is awaited
    std::optional<proc::Watch> watch_;
};

}  // namespace uscope::run
