// How the returns of each function are seen: by the kernel's return probe, which is cheap but
// replaces return addresses, or by probes on the ways out, which harm nothing (resolve/exits.h).
//
// The kernel's probe is taken only where it is known to be harmless: the function is entered by a
// call (.eh_frame says so), and nothing in the processes looks at return addresses (resolve/risk.h),
// or the function is one that nothing can cross, as it calls nothing. Else the ways out are probed.
// Where those are not known exactly, the function is refused.
#pragma once

#include <optional>
#include <string>

#include "elf/functions.h"
#include "resolve/exits.h"
#include "resolve/files.h"
#include "resolve/resolve.h"
#include "resolve/risk.h"

namespace uscope::resolve {

struct ReturnPolicy {
    std::optional<ReturnsBy> forced;  // --force-return; not GoReturns
    bool unsafe = false;              // --unsafe: the kernel's probe rather than none
};

// Set before anything is resolved.
ReturnPolicy &return_policy();

// "exit" or "probe"
Result<> parse_value(std::string_view text, ReturnsBy &by);

// The choice for the functions of one file.
class ReturnChooser {
  public:
    // `only`: the process that alone will be traced, or 0: all that use the file. `opened` must
    // outlive it.
    ReturnChooser(const OpenedFile &opened, pid_t only) : opened_(opened), only_(only) {}

    // How the returns of `function` are seen; sets `site`'s ways out when it is by these. Errors
    // say why they cannot be seen without harm, and the way out.
    Result<ReturnsBy> choose(const elf::Function &function, Site &site);

    // Of the processes; none when return addresses may be replaced.
    const Risk &risk();

    // After all have been chosen: where too many functions share a way out, as they all tail-call
    // one, the calls end at the jumps there.
    void part_shared_exits(FileSites &sites);

  private:
    ExitFinder &finder();
    void set_exits(const Exits &exits, Site &site) const;

    const OpenedFile &opened_;
    pid_t only_;
    std::optional<Risk> risk_;
    std::optional<ExitFinder> finder_;
};

}  // namespace uscope::resolve
