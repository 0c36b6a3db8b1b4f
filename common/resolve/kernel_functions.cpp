#include "resolve/kernel_functions.h"

#include <map>
#include <set>

#include <unistd.h>

#include "abi/registers.h"
#include "base/fd.h"
#include "base/text.h"
#include "proc/kallsyms.h"
#include "proc/tracefs.h"

namespace uscope::resolve {
namespace {

using Matches = std::function<bool(std::string_view name)>;

Result<> check_kprobes(const KernelPlaces &places)
{
    if (access((places.devices + "/kprobe").c_str(), F_OK) == 0)
        return {};
    return tl::unexpected(
        Error{.text = "this kernel has no kprobes (CONFIG_KPROBE_EVENTS), so that its functions "
                      "cannot be traced: use tracepoints, t:CATEGORY:EVENT (tplist lists them)",
              .code = EOPNOTSUPP});
}

// "vfs_read", "nft_do_chain [nf_tables]"
std::string listed_name(const KernelFunction &function)
{
    return function.module.empty() ? function.name
                                   : fmt::format("{} [{}]", function.name, function.module);
}

// How often each matching name is listed as traceable; nothing when the kernel has no such list.
std::optional<std::map<std::string, size_t, std::less<>>> read_traceable(const Matches &matches,
                                                                         const KernelPlaces &places)
{
    auto tracefs =
        places.tracefs.empty() ? proc::Tracefs::open() : proc::Tracefs::at(places.tracefs);
    auto text = tracefs ? tracefs->traceable_functions() : tl::unexpected(tracefs.error());
    if (!text)
        return std::nullopt;
    std::map<std::string, size_t, std::less<>> counts;
    for (std::string_view line : split(*text, '\n')) {
        if (!line.empty() && matches(line.substr(0, line.find(' '))))
            counts[std::string(line)]++;
    }
    return counts;
}

struct Found {
    KernelFunctions functions;
    std::vector<KernelFunction> untraceable;
    bool is_hidden = false;  // the addresses are
};

Found look_up(const Matches &matches, const KernelPlaces &places)
{
    Found found;
    std::vector<KernelFunction> all;
    std::map<std::string, std::set<uint64_t>> addresses;  // by listed name
    proc::each_kernel_symbol(places.proc, [&](const proc::KernelSymbol &symbol) {
        if (!symbol.is_code || !matches(symbol.name))
            return;
        found.is_hidden |= symbol.address == 0;
        KernelFunction function{std::string(symbol.name), std::string(symbol.module),
                                symbol.address};
        if (addresses[listed_name(function)].insert(function.address).second)
            all.push_back(std::move(function));
    });
    auto traceable = read_traceable(matches, places);
    // Of several with one name, the list does not tell which are meant.
    auto is_traceable = [&](const std::string &name) {
        auto listed = traceable->find(name);
        return listed != traceable->end() && listed->second >= addresses[name].size();
    };
    for (KernelFunction &function : all) {
        bool is_possible = !traceable || is_traceable(listed_name(function));
        (is_possible ? found.functions.found : found.untraceable).push_back(std::move(function));
    }
    found.functions.refused = found.untraceable.size();
    return found;
}

Error hidden_addresses()
{
    return {.text =
                "the addresses of the kernel's functions are hidden (kernel.kptr_restrict): "
                "run it as root, or with CAP_SYSLOG",
            .code = EPERM};
}

std::string prefixed_syscall(std::string_view name)
{
    constexpr bool is_arm = abi::host_machine == abi::Machine::Aarch64;
    return fmt::format("__{}_{}", is_arm ? "arm64" : "x64", name);
}

// Nothing has that name: what the person may have meant.
Error explain_missing(const std::string &name, const KernelPlaces &places)
{
    Found copies = look_up(
        [&](std::string_view other) {
            return other.starts_with(name) && other.substr(name.size()).starts_with('.');
        },
        places);
    std::vector<std::string> names;
    for (const KernelFunction &copy : copies.functions.found)
        names.push_back(copy.name);
    if (!names.empty()) {
        return {fmt::format("the kernel has {} only as the compiler changed it: {}", name,
                            fmt::join(names, ", "))};
    }
    proc::each_kernel_symbol(places.proc, [&](const proc::KernelSymbol &symbol) {
        if (symbol.is_code && !symbol.name.starts_with("__pfx_"))
            names.emplace_back(symbol.name);
    });
    auto near = near_names(name, names);
    return {
        fmt::format("the kernel has no function {}{}", name,
                    near.empty() ? " (one that is always inlined is none)" : did_you_mean(near))};
}

}  // namespace

Result<KernelFunctions> find_kernel_function(const std::string &name, const KernelPlaces &places)
{
    TRY(check_kprobes(places));
    auto find = [&](const std::string &wanted) {
        return look_up([&](std::string_view other) { return other == wanted; }, places);
    };
    Found found = find(name);
    if (found.functions.found.empty() && found.untraceable.empty() && name.starts_with("sys_"))
        found = find(prefixed_syscall(name));
    if (found.is_hidden)
        return tl::unexpected(hidden_addresses());
    if (!found.functions.found.empty())
        return std::move(found.functions);
    if (found.untraceable.size() == 1) {
        return fail(
            "the kernel does not let {} be traced: it is marked notrace, or tracing itself needs "
            "it",
            name);
    }
    if (!found.untraceable.empty()) {
        return fail("the kernel has {} functions {}, of which not all can be traced",
                    found.untraceable.size(), name);
    }
    return tl::unexpected(explain_missing(name, places));
}

Result<KernelFunctions> find_kernel_functions(const Matches &matches, const std::string &pattern,
                                              const KernelPlaces &places)
{
    TRY(check_kprobes(places));
    Found found = look_up(matches, places);
    if (found.is_hidden)
        return tl::unexpected(hidden_addresses());
    if (!found.functions.found.empty())
        return std::move(found.functions);
    if (found.functions.refused)
        return fail("the kernel lets none of the {} functions that {} matches be traced",
                    found.functions.refused, pattern);
    return fail("no function of the kernel matches {}", pattern);
}

}  // namespace uscope::resolve
