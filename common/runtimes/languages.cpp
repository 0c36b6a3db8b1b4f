// Declares and checks the common options, and finds the runtimes.
#include "runtimes/languages.h"

#include <algorithm>
#include <set>

#include "base/format.h"
#include "proc/process.h"

namespace uscope::runtimes {

void Languages::declare(run::Tool &tool, const Style &style)
{
    style_ = style;
    auto names = lang::names_of_languages(style.fallback == Fallback::LibC);
    if (style.fallback == Fallback::Optional)
        names.emplace_back("none");
    switch (style.words) {
    case Words::PidAndInterval:
        tool.positional(words_, "PID [INTERVAL]",
                        "the process, and the seconds between outputs (-p, -i)");
        break;
    case Words::Pids:
        tool.positional(words_, "PID", "the process (-p); several may be given");
        break;
    }
    tool.option('l', "language", run::OnlyOne{name_}, "LANGUAGE",
                join(names, ", ") + " (default: detected)")
        .values = [names] { return names; };
    tool.flag(0, "unsafe", processes.returns.unsafe,
              "also use probes that harm some versions of a runtime, or may do so");
    processes.declare(tool, style.tid_name, style.forks_name);
    processes.declare_cgroup(tool);
}

Result<> Languages::check(run::Intervals *intervals)
{
    bool takes_interval = style_.words == Words::PidAndInterval;
    size_t pids = style_.words == Words::Pids ? words_.size() : std::min<size_t>(words_.size(), 1);
    if (words_.size() > pids + takes_interval)
        return fail_usage(
            "unexpected argument \"{}\": expected PID [INTERVAL]; use -p to trace "
            "several processes",
            words_.back());
    for (size_t i = 0; i < pids; i++)
        TRY(run::parse_value(words_[i], processes.pids));
    if (words_.size() > pids)
        TRY(intervals->take_interval({words_.begin() + long(pids), words_.end()}));
    if (!processes.any_named() && !processes.workloads.any())
        return fail_usage("which process? Give its PID, --comm NAME or --container NAME");
    if (style_.none_is_c && is_none())
        name_ = lang::c.name;
    bool may_be_none = style_.fallback == Fallback::Optional;
    if (!name_.empty() && !(may_be_none && is_none()))
        wanted_ = TRY(lang::find_language(name_, style_.fallback == Fallback::LibC));
    return processes.check();
}

Result<lang::Runtime> Languages::find(pid_t pid, lang::Event event) const
{
    auto runtime = lang::find_runtime(pid, wanted_);
    if (wanted_ || style_.fallback != Fallback::LibC)
        return runtime;
    bool has_event =
        runtime && std::any_of(runtime->language->hooks.begin(), runtime->language->hooks.end(),
                               [&](const lang::Hook &hook) { return hook.event == event; });
    return has_event ? std::move(runtime) : lang::find_runtime(pid, &lang::c);
}

// A shell has no runtime; with -F, uses the runtimes of the shell's descendants.
Result<std::vector<lang::Runtime>> Languages::find_followed(pid_t pid, lang::Event event) const
{
    std::vector<lang::Runtime> runtimes;
    auto own = find(pid, event);
    if (own || !processes.follow_forks) {
        runtimes.push_back(TRY(std::move(own)));
        return runtimes;
    }
    for (pid_t descendant : proc::descendants(pid)) {
        if (auto found = find(descendant, event))
            runtimes.push_back(std::move(*found));
    }
    if (runtimes.empty())
        return fail("{}; and no process that it started runs one: start the program first",
                    own.error().text);
    return runtimes;
}

Result<std::vector<lang::Runtime>> Languages::find_all(lang::Event event, bool may_be_none) const
{
    std::vector<lang::Runtime> runtimes;
    auto pids = processes.for_lookup();
    if (pids.empty())
        return fail("no running process matches; pass a PID");
    for (pid_t pid : is_none() ? std::vector<pid_t>() : pids) {
        auto found = find_followed(pid, event);
        // Not every program in a container runs on a runtime.
        bool is_named = processes.any_named() || pids.size() == 1;
        if (!found && ((may_be_none && !wanted_) || !is_named))
            continue;
        for (lang::Runtime &runtime : TRY(std::move(found)))
            runtimes.push_back(std::move(runtime));
    }
    if (runtimes.empty() && !processes.any_named() && !may_be_none)
        return fail("{} has no process that runs {}", processes.workloads.text(),
                    wanted_ ? wanted_->name : "on a known runtime");
    return runtimes;
}

Result<std::vector<lang::Runtime>> Languages::find(lang::Event event, bool may_be_none) const
{
    std::vector<lang::Runtime> runtimes;
    std::set<std::string> files;
    auto all = TRY(find_all(event, may_be_none));
    for (lang::Runtime &found : all) {
        if (!runtimes.empty() && runtimes[0].language != found.language)
            return fail("{} and {} run different languages: trace them separately",
                        runtimes[0].who(), found.who());
        if (files.insert(found.file()).second)
            runtimes.push_back(std::move(found));
    }
    return runtimes;
}

std::string Languages::traced(const std::vector<lang::Runtime> &runtimes) const
{
    auto pids = processes.for_lookup();
    std::set<std::string_view> names;
    for (const lang::Runtime &runtime : runtimes)
        names.insert(runtime.language->name);
    return fmt::format("process{} {} (language: {})", pids.size() == 1 ? "" : "es",
                       join(pids, ", "), names.empty() ? "none" : join(names, ", "));
}

}  // namespace uscope::runtimes
