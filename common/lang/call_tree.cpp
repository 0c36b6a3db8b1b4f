// Pairs entries with returns (see call_tree.h).
#include "lang/call_tree.h"

#include <algorithm>

namespace uscope::lang {

const std::string *CallTree::intern(std::string_view name)
{
    auto known = names_.find(name);
    return &*(known != names_.end() ? known : names_.emplace(name).first);
}

// Ends the calls from `first` on.
void CallTree::end_from(Thread &thread, size_t first, uint64_t now_ns)
{
    while (thread.calls.size() > first) {
        const Call &call = step_.ended.emplace_back(thread.calls.back());
        thread.calls.pop_back();
        if (!thread.calls.empty())
            thread.calls.back().inside_ns += now_ns - call.entered_ns;
    }
}

void CallTree::enter(Thread &thread, const Event &event)
{
    auto deeper = std::find_if(thread.calls.begin(), thread.calls.end(),
                               [&](const Call &call) { return call.depth >= step_.depth; });
    end_from(thread, deeper - thread.calls.begin(), event.ts_ns);
    step_.entered = intern(event.name);
    thread.calls.push_back({step_.entered, step_.depth, event.ts_ns});
}

void CallTree::leave(Thread &thread, const Event &event)
{
    std::vector<Call> &calls = thread.calls;
    bool may_be_unseen = step_.depth <= thread.unsure;
    // The innermost call of that name that is not deeper than the event.
    auto same = std::find_if(calls.rbegin(), calls.rend(), [&](const Call &call) {
        bool is_at_depth = may_be_unseen ? call.depth == step_.depth : call.depth <= step_.depth;
        return is_at_depth && *call.name == event.name;
    });
    if (same != calls.rend()) {
        thread.skew += step_.depth - same->depth;
        step_.depth = same->depth;
        step_.is_known = true;
        return end_from(thread, calls.rend() - same - 1, event.ts_ns);
    }
    auto deeper = std::find_if(calls.begin(), calls.end(),
                               [&](const Call &call) { return call.depth >= step_.depth; });
    end_from(thread, deeper - calls.begin(), event.ts_ns);
}

const CallTree::Step &CallTree::add(const Event &event)
{
    Thread &thread = threads_[event.thread];
    step_.ended.clear();
    step_.is_known = false;
    if (event.depth <= thread.skew)  // the count has restarted: a new thread has this id
        thread.skew = 0;
    step_.depth = event.depth - thread.skew;
    if (event.lost)
        thread.unsure = std::max(thread.unsure, step_.depth - !event.is_return);
    if (event.is_return)
        leave(thread, event);
    else
        enter(thread, event);
    thread.unsure = std::min(thread.unsure, step_.depth - 1);
    // Erases idle threads: a program may start very many virtual ones.
    if (thread.calls.empty() && !thread.skew && !thread.unsure)
        threads_.erase(event.thread);
    return step_;
}

void CallTree::each_open(const std::function<void(ThreadKey, const Call &)> &action) const
{
    for (const auto &[key, thread] : threads_) {
        for (auto call = thread.calls.rbegin(); call != thread.calls.rend(); ++call)
            action(key, *call);
    }
}

}  // namespace uscope::lang
