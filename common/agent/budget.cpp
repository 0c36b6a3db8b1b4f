// Compares what the tools used in windows of time with the budget.
#include "agent/budget.h"

#include <algorithm>

namespace uscope::agent {

uint64_t Budget::next_pause_ns(uint64_t now_ns, const std::string &name)
{
    Paused &last = paused_[name];
    bool is_first = !last.length_ns || now_ns > last.end_ns + longest_pause_ns;
    last.length_ns = is_first ? first_pause_ns : std::min(last.length_ns * 2, longest_pause_ns);
    last.end_ns = now_ns + last.length_ns;
    return last.length_ns;
}

std::optional<Budget::Pause> Budget::check(uint64_t now_ns, const Used &used)
{
    uint64_t window = now_ns - start_ns_;
    if (start_ns_ && window < window_ns)
        return std::nullopt;
    uint64_t all = 0, most = 0;
    const std::string *name = nullptr;
    for (const auto &[tool, ns] : used) {
        auto before = at_start_.find(tool);
        // A tool that was started again in the window has used all of it in the window.
        uint64_t in_window =
            before == at_start_.end() || before->second > ns ? ns : ns - before->second;
        all += in_window;
        if (in_window > most) {
            most = in_window;
            name = &tool;
        }
    }
    bool is_over =
        start_ns_ && processors_ > 0 && name && double(all) > processors_ * double(window);
    at_start_ = used;
    start_ns_ = now_ns;
    if (!is_over)
        return std::nullopt;
    return Pause{*name, double(most) / double(window), double(all) / double(window),
                 next_pause_ns(now_ns, *name)};
}

}  // namespace uscope::agent
