// Takes the kernel's return probes off a process when it comes to do what they break.
//
// They are put only where nothing in a process looks at return addresses (resolve/risk.h). A plugin
// that it loads later, a program that it executes, code that it generates may do so: each new
// executable mapping is looked at, as the kernel tells of it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "probe/set.h"
#include "proc/watch.h"

namespace uscope::probe {

class ReturnGuard {
  public:
    // `only`: the process that alone is traced, or 0. `say` is told what was taken off and why.
    // Nothing when `probes` has no return probes of the kernel that need it. `probes` outlives it.
    static Result<std::unique_ptr<ReturnGuard>> watch(Set &probes, pid_t only,
                                                      std::function<void(std::string)> say);

    int fd() const { return watch_->fd(); }
    void look() { watch_->drain(); }

  private:
    ReturnGuard(Set &probes, pid_t only, std::function<void(std::string)> say)
        : probes_(probes), only_(only), say_(std::move(say))
    {
    }
    void on_new_code(pid_t pid);

    Set &probes_;
    pid_t only_;
    std::function<void(std::string)> say_;
    std::optional<proc::Watch> watch_;
    bool is_done_ = false;
};

}  // namespace uscope::probe
