// The processes that run a program of a certain name: those there are, and each one that comes.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include <sys/types.h>

#include "proc/watch.h"
#include "run/session.h"

namespace uscope::run {

class Arrivals {
  public:
    // Compared with proc::executable_name(): in any container, under any path.
    using Wanted = std::function<bool(std::string_view executable)>;
    // May be called again for the same process.
    using Found = std::function<void(pid_t)>;

    Arrivals(Wanted wanted, Found found) : wanted_(std::move(wanted)), found_(std::move(found)) {}
    Arrivals(const Arrivals &) = delete;

    // Begins to listen for new processes, in the session's loop. Errors: not permitted, and what is
    // missing; look() works nevertheless.
    Result<> listen(Session &session);
    // Hands over the processes that run now. Call it after listen(), so that none is missed in between.
    void look();

  private:
    void look_at(pid_t pid);

    Wanted wanted_;
    Found found_;
    std::optional<proc::Watch> watch_;
};

}  // namespace uscope::run
