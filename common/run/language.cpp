#include "run/language.h"

#include <algorithm>
#include <set>

namespace uscope::run {

void Languages::declare(Tool &tool, Else otherwise, bool takes_interval)
{
    otherwise_ = otherwise;
    takes_interval_ = takes_interval;
    std::string names;
    for (const lang::Language *language : lang::languages())
        names += fmt::format("{}{}", names.empty() ? "" : ", ", language->name);
    if (otherwise == Else::C)
        names += ", c";
    if (otherwise == Else::None)
        names += ", none";
    tool.positional(words_, takes_interval ? "PID [INTERVAL]" : "PID",
                    takes_interval ? "the process, and every how many seconds to show (-p, -i)"
                                   : "the process (-p)");
    tool.option('l', "language", name_, "LANGUAGE", names + "; else it is found out");
    tool.flag(0, "unsafe", unsafe,
              "also probes that are known to crash some versions of a runtime");
}

Result<> Languages::check(Processes &processes, Intervals *intervals)
{
    if (words_.size() > (takes_interval_ ? 2 : 1))
        return fail_usage("{} is too much: one PID{} (-p takes several)", words_.back(),
                          takes_interval_ ? " and one INTERVAL are taken" : " is taken");
    if (!words_.empty())
        TRY(parse_value(words_[0], processes.pids));
    if (words_.size() == 2) {
        double seconds;
        TRY(parse_value(words_[1], seconds));
        intervals->set_interval(seconds);
    }
    if (processes.pids.empty() && !processes.tid && processes.comms.empty())
        return fail_usage("which process? Give its PID, or --comm NAME");
    bool may_be_none = otherwise_ == Else::None;
    if (!name_.empty() && !(may_be_none && is_none()))
        wanted_ = TRY(lang::find_language(name_, otherwise_ == Else::C));
    return {};
}

Result<lang::Runtime> Languages::find(pid_t pid, lang::Event event) const
{
    auto runtime = lang::find_runtime(pid, wanted_);
    if (wanted_ || otherwise_ != Else::C)
        return runtime;
    bool tells =
        runtime && std::any_of(runtime->language->rows.begin(), runtime->language->rows.end(),
                               [&](const lang::Row &row) { return row.event == event; });
    return tells ? std::move(runtime) : lang::find_runtime(pid, &lang::c);
}

Result<std::vector<lang::Runtime>> Languages::find(const Processes &processes, lang::Event event,
                                                   bool may_be_none) const
{
    std::vector<lang::Runtime> runtimes;
    std::set<std::string> files;
    auto pids = processes.for_lookup();
    if (pids.empty())
        return fail("no process is called so now: give a PID");
    for (pid_t pid : is_none() ? std::vector<pid_t>() : pids) {
        auto runtime = find(pid, event);
        if (!runtime && may_be_none && !wanted_)
            continue;
        lang::Runtime found = TRY(std::move(runtime));
        if (!runtimes.empty() && runtimes[0].language != found.language)
            return fail("{} and {} are of different languages: trace them apart", runtimes[0].who(),
                        found.who());
        if (files.insert(found.file()).second)
            runtimes.push_back(std::move(found));
    }
    return runtimes;
}

std::string traced(const Processes &processes, const std::vector<lang::Runtime> &runtimes)
{
    auto pids = processes.for_lookup();
    return fmt::format("process{} {} (language: {})", pids.size() == 1 ? "" : "es",
                       fmt::join(pids, ", "),
                       runtimes.empty() ? "none" : runtimes[0].language->name);
}

}  // namespace uscope::run
