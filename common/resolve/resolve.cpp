// Resolves kernel functions and tracepoints; functions.cpp and usdt.cpp resolve the other kinds.
#include "resolve/resolve.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "elf/functions.h"
#include "proc/executable.h"
#include "resolve/kernel_functions.h"
#include "resolve/kinds.h"
#include "resolve/patterns.h"

namespace uscope::resolve {
namespace {

Result<KernelMatches> find_in_kernel(const spec::Probe &probe)
{
    static const auto kernel = KernelFunctions::read({});
    if (!kernel)
        return Failure(kernel.error());
    const std::string &name = probe.function.text;
    if (probe.is_regex) {
        Regex regex = TRY(compile_regex(probe, probe.function));
        return kernel->find([&](std::string_view other) { return regex.matches(other); }, name);
    }
    if (is_glob(name))
        return kernel->find([&](std::string_view other) { return glob_match(name, other); }, name);
    return kernel->find(name);
}

}  // namespace

// All sites are in one group, because all functions of the kernel have their arguments in the same
// registers.
Result<std::vector<Group>> resolve_kernel(const spec::Probe &probe)
{
    KernelMatches found = TRY(find_in_kernel(probe));
    Group group;
    group.is_kernel = true;
    if (found.refused)
        group.refusals["are marked notrace, or tracing needs them"] = found.refused;
    std::map<std::string, std::vector<Site>> modules;
    for (const KernelFunction &function : found.functions) {
        Site site;
        site.name = function.name;
        if (probe.offset)
            site.name += fmt::format("+{:#x}", probe.offset);
        site.function_vaddr = function.address;
        site.vaddr = function.address + probe.offset;
        modules[function.module].push_back(std::move(site));
    }
    for (auto &[module, sites] : modules) {
        std::string name = module.empty() ? "vmlinux" : module;
        group.files.push_back({{name, name}, nullptr, std::move(sites)});
    }
    return std::vector<Group>{std::move(group)};
}

Result<std::vector<Group>> resolve_tracepoint(const spec::Probe &probe)
{
    auto tracefs = TRY(proc::Tracefs::open());
    std::vector<std::string> names;
    if (probe.is_regex || is_glob(probe.category.text) || is_glob(probe.event.text)) {
        NameMatcher is_wanted = TRY(name_matcher(probe));
        for (std::string &name : TRY(tracefs.list())) {
            size_t colon = name.find(':');
            if (is_wanted(name.substr(0, colon), name.substr(colon + 1)))
                names.push_back(std::move(name));
        }
        if (names.empty())
            return fail("no tracepoint matches {}{}{}", probe.category.text,
                        probe.is_regex ? "" : ":", probe.event.text);
    } else {
        names.push_back(probe.category.text + ":" + probe.event.text);
    }

    std::vector<Group> groups;
    for (const std::string &name : names) {
        size_t colon = name.find(':');
        auto tracepoint = TRY(tracefs.read(name.substr(0, colon), name.substr(colon + 1)));
        Group group;
        Site site;
        site.name = tracepoint.name;
        group.files.push_back({{}, nullptr, {std::move(site)}});
        group.tracepoint = std::move(tracepoint);
        groups.push_back(std::move(group));
    }
    return groups;
}

std::string describe(const Refusals &refusals)
{
    std::vector<std::pair<size_t, std::string>> reasons;
    for (const auto &[reason, count] : refusals)
        reasons.emplace_back(count, fmt::format("{} {}", count, reason));
    std::stable_sort(reasons.begin(), reasons.end(),
                     [](const auto &a, const auto &b) { return a.first > b.first; });
    std::string text;
    for (const auto &[count, reason] : reasons)
        text += (text.empty() ? "" : ", ") + reason;
    return text;
}

bool Group::has_branches() const
{
    return std::any_of(files.begin(), files.end(), [](const FileSites &file) {
        return std::any_of(file.sites.begin(), file.sites.end(),
                           [](const Site &site) { return !site.branches.empty(); });
    });
}

size_t Group::site_count() const
{
    size_t count = 0;
    for (const FileSites &file : files)
        count += file.sites.size();
    return count;
}

// A function without a library is one of the kernel. If one of the processes has a function of that
// name in its program, adds to the error how to name that function.
static Error kernel_error(Error error, const spec::Probe &probe, const std::vector<pid_t> &pids)
{
    for (pid_t pid : pids) {
        if (pid == later_processes || is_glob(probe.function.text))
            continue;
        auto program = proc::executable_of(pid);
        auto files = program ? find_files(*program, {pid}) : Failure(program.error());
        if (files && elf::find_functions(*files->front().image, probe.function.text)) {
            error.text += fmt::format(" (process {} has this function: {}:{})", pid, *program,
                                      probe.function.text);
            break;
        }
    }
    return error;
}

Result<std::vector<Group>> resolve(const spec::Probe &probe, const std::vector<pid_t> &pids,
                                   const OpenedFile *opened, const ReturnPolicy &returns)
{
    using spec::ProbeKind;
    switch (probe.kind) {
    case ProbeKind::Entry:
    case ProbeKind::Return:
        if (!probe.library.text.empty())
            return resolve_functions(probe, pids, opened, returns);
        if (auto groups = resolve_kernel(probe))
            return groups;
        else
            return Failure(kernel_error(std::move(groups.error()), probe, pids));
    case ProbeKind::Usdt:
        return resolve_usdt(probe, pids);
    case ProbeKind::Tracepoint:
        return resolve_tracepoint(probe);
    }
    return fail("unknown kind of probe");
}

}  // namespace uscope::resolve
