// Completes the values of events with names from the process.
#include "runtimes/method_names.h"

#include <algorithm>

#include "base/format.h"

namespace uscope::runtimes {

MethodNames::MethodNames(const std::vector<lang::Runtime> &runtimes, size_t max_bytes, For used_for)
    : max_bytes_(max_bytes), used_for_(used_for)
{
    for (const lang::Runtime &runtime : runtimes)
        versions_[runtime.pid] = runtime.version;
}

const lang::PythonNames &MethodNames::names_of(pid_t owner, const std::vector<pid_t> &pids,
                                               uint64_t code, const lang::PythonNames &seen)
{
    // If the seen names differ, another method is at this address now.
    Known &known = known_[{pids.size() == 1 ? pids[0] : 0, code}];
    if (known.seen == seen && !known.names.function.empty())
        return known.names;
    known = {seen, seen};
    lang::Version version = versions_[owner];
    auto kind = lang::python_name_kind(version, used_for_ == For::Flow);
    for (pid_t pid : pids) {
        auto memory = lang::Memory::open(pid);
        auto names = memory
                         ? lang::read_python_names(*memory, code, kind, version, seen, max_bytes_)
                         : std::nullopt;
        if (names) {
            known.names = std::move(*names);
            break;
        }
    }
    return known.names;
}

void MethodNames::complete(const probe::ProbeRequest &probe, const std::vector<pid_t> &pids,
                           std::vector<output::Value> &values)
{
    if (values.size() != 3 || probe.values.back().name != "code")
        return;
    uint64_t code = values[2].integer;
    values.pop_back();
    bool are_texts = std::all_of(values.begin(), values.end(), [](const output::Value &value) {
        return value.kind == output::Value::Kind::Text;
    });
    if (!are_texts || code == 0)
        return;
    const lang::PythonNames &names =
        names_of(probe.lookup.owner.value_or(0), pids, code,
                 {std::string(values[0].text), std::string(values[1].text)});
    values[0].text = names.file;
    values[1].text = names.function;
    if (names.function.empty()) {  // too late to read it; still, keep methods apart
        unread_ = fmt::format("(not ASCII, {:#x})", code);
        values[1].text = unread_;
    }
}

}  // namespace uscope::runtimes
