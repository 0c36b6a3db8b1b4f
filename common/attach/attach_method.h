// The methods by which the kernel can attach a probe, and which one is used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace uscope::attach {

enum class AttachMethod : uint8_t {
    Session,  // Linux 6.13: uprobe_multi links, one program for entry and return
    Multi,    // Linux 6.6: uprobe_multi links
    Tracefs,  // one event for many sites (attach/uprobe_event.h)
    Perf,     // a perf event for each site
};

// Set it before anything asks what the kernel can do. Lets tests use every method on one kernel.
std::optional<AttachMethod> &forced_method();
inline bool is_forced_below(AttachMethod method)
{
    return forced_method() && *forced_method() > method;
}

// "session", "multi", "tracefs", "perf"
Result<> parse_value(std::string_view text, AttachMethod &method);

// Errors: the kernel lacks the forced method.
Result<> check_forced_method();

// How uprobes are attached on this kernel and why, in one line.
std::string describe_attach_method();

}  // namespace uscope::attach
