// The methods by which the kernel can attach a probe, and which one is used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uscope::kernel {

enum class AttachMethod : uint8_t {
    Session,  // Linux 6.13: uprobe_multi links, one program for entry and return
    Multi,    // Linux 6.6: uprobe_multi links
    Tracefs,  // one event for many sites (attach/uprobe_event.h)
    Perf,     // a perf event for each site
};

// The method that --force-path selects; tests use it to try every method on one kernel. nullopt:
// the newest method that works. Set it before the first call of has_uprobe_multi() or
// session_calls(), because these compute their results only once.
std::optional<AttachMethod> &forced_method();
// Does --force-path select an older method than `method`?
inline bool is_older_forced(AttachMethod method)
{
    return forced_method() && *forced_method() > method;
}

std::vector<std::string> attach_method_names();
// Parses one of these names.
Result<> parse_value(std::string_view text, AttachMethod &method);

// Errors: the kernel lacks the forced method.
Result<> check_forced_method();

// Describes in one line how uprobes are attached, and why.
std::string describe_attach_method();

}  // namespace uscope::kernel
