// The ways from a probe to the kernel, and which of them is taken.
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
    Tracefs,  // events of many places (attach/uprobe_event.h)
    Perf,     // a perf event for each place
};

// Set before anything asks for what the kernel can do: tests take each path on one kernel.
std::optional<AttachMethod> &forced_method();
inline bool is_forced_below(AttachMethod path)
{
    return forced_method() && *forced_method() > path;
}

// "session", "multi", "tracefs", "perf"
Result<> parse_value(std::string_view text, AttachMethod &path);

// Errors: the kernel has not what was forced.
Result<> check_forced_method();

// How uprobes are attached on this kernel and why, in a line.
std::string describe_attach_method();

}  // namespace uscope::attach
