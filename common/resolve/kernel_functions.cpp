// Compares /proc/kallsyms with the list of traceable functions.
#include "resolve/kernel_functions.h"

#include <unordered_map>

#include <unistd.h>

#include "abi/registers.h"
#include "base/format.h"
#include "base/text.h"
#include "base/tool_name.h"
#include "proc/kallsyms.h"
#include "proc/tracefs.h"

namespace uscope::resolve {
namespace {

Result<> check_kprobes(const std::string &devices)
{
    if (access((devices + "/kprobe").c_str(), F_OK) == 0)
        return {};
    return Failure(Error{
        .text =
            fmt::format("this kernel has no kprobes (CONFIG_KPROBE_EVENTS), so that its functions "
                        "cannot be traced: use tracepoints, t:CATEGORY:EVENT ({} lists them); for "
                        "a function of a library, name the library: c:malloc",
                        tool_name("tplist")),
        .code = EOPNOTSUPP});
}

// Reports that addresses are hidden. If kptr_restrict is 2, they are also hidden from root.
Failure<> hidden_addresses(const std::string &proc)
{
    auto setting = read_file(proc + "/sys/kernel/kptr_restrict");
    bool from_all = setting && trim(*setting) == "2";
    return Failure(Error{
        .text =
            fmt::format("the addresses of the kernel's functions are hidden {}",
                        from_all ? "from everybody: sysctl kernel.kptr_restrict=1 shows them "
                                   "to root"
                                 : "(kernel.kptr_restrict): run it as root, or with CAP_SYSLOG"),
        .code = EPERM});
}

// Returns a function's name as the list of traceable functions has it: "vfs_read", "nft_do_chain
// [nf_tables]".
std::string listed_name(std::string_view name, std::string_view module)
{
    return module.empty() ? std::string(name) : fmt::format("{} [{}]", name, module);
}

// How often a name is in the list of traceable functions, and how many functions have it. If it is
// listed fewer times, it is unclear which of the functions can be traced.
struct NamedFunction {
    size_t listed = 0, functions = 0;
    uint64_t last_address = 0;
};
using NamedFunctions = std::unordered_map<std::string, NamedFunction>;

// Reads the list of traceable functions. Returns nullopt if the kernel has no such list.
std::optional<NamedFunctions> read_traceable(const std::string &folder)
{
    auto tracefs = folder.empty() ? proc::Tracefs::open() : proc::Tracefs::at(folder);
    auto list = tracefs ? tracefs->traceable_functions() : Failure(tracefs.error());
    if (!list)
        return std::nullopt;
    NamedFunctions names;
    for (std::string_view line : split(*list, '\n')) {
        if (!line.empty())
            names[std::string(line)].listed++;
    }
    return names;
}

std::string prefixed_syscall(std::string_view name)
{
    constexpr bool is_arm = abi::host_machine == abi::Machine::Aarch64;
    return fmt::format("__{}_{}", is_arm ? "arm64" : "x64", name);
}

}  // namespace

Result<KernelFunctions> KernelFunctions::read(const Folders &folders)
{
    TRY(check_kprobes(folders.devices));
    KernelFunctions all;
    auto traceable = read_traceable(folders.tracefs);
    bool is_hidden = false;
    uint32_t module = 0;  // that of the previous symbol
    proc::each_kernel_symbol(folders.proc, [&](const proc::KernelSymbol &symbol) {
        if (!symbol.is_code)
            return;
        is_hidden |= symbol.address == 0;
        auto add_text = [&](std::string_view text) {
            uint32_t offset = all.names_.size();
            all.names_.append(text).push_back('\0');
            return text.empty() ? 0 : offset;
        };
        if (symbol.module != all.text(module))
            module = add_text(symbol.module);
        all.entries_.push_back({symbol.address, add_text(symbol.name), module, !traceable});
        if (!traceable)
            return;
        auto named = traceable->find(listed_name(symbol.name, symbol.module));
        if (named != traceable->end() && named->second.last_address != symbol.address) {
            named->second.functions++;
            named->second.last_address = symbol.address;
        }
    });
    if (is_hidden)
        return hidden_addresses(folders.proc);
    for (Entry &entry : all.entries_) {
        if (!traceable)
            break;
        auto named = traceable->find(listed_name(all.text(entry.name), all.text(entry.module)));
        entry.is_traceable =
            named != traceable->end() && named->second.listed >= named->second.functions;
    }
    return all;
}

KernelMatches KernelFunctions::look_up(const Matches &matches) const
{
    KernelMatches found;
    for (const Entry &entry : entries_) {
        if (!matches(text(entry.name)))
            continue;
        const auto *last = found.functions.empty() ? nullptr : &found.functions.back();
        if (last && last->address == entry.address && last->name == text(entry.name))
            continue;
        if (entry.is_traceable)
            found.functions.push_back(
                {std::string(text(entry.name)), std::string(text(entry.module)), entry.address});
        else
            found.refused++;
    }
    return found;
}

// Explains that no function has this name: suggests similar names.
Error KernelFunctions::explain_missing(const std::string &name) const
{
    KernelMatches copies = look_up([&](std::string_view other) {
        return other.starts_with(name) && other.substr(name.size()).starts_with('.');
    });
    std::vector<std::string> names;
    for (const KernelFunction &copy : copies.functions)
        names.push_back(copy.name);
    if (!names.empty()) {
        return {fmt::format("the kernel has only changed copies of {}, made by the compiler: {}",
                            name, join(names, ", "))};
    }
    for (const Entry &entry : entries_) {
        if (entry.is_traceable)
            names.emplace_back(text(entry.name));
    }
    auto near = near_names(name, names);
    return {fmt::format("the kernel has no function {}{} (for a function of libc, use c:{})", name,
                        near.empty() ? ", or it is always inlined" : did_you_mean(near), name)};
}

Result<KernelMatches> KernelFunctions::find(const std::string &name) const
{
    auto find = [&](const std::string &wanted) {
        return look_up([&](std::string_view other) { return other == wanted; });
    };
    KernelMatches found = find(name);
    if (found.functions.empty() && !found.refused && name.starts_with("sys_"))
        found = find(prefixed_syscall(name));
    if (!found.functions.empty())
        return found;
    if (found.refused == 1) {
        return fail(
            "the kernel's function {} cannot be traced: it is marked notrace, or tracing itself "
            "needs it",
            name);
    }
    if (found.refused)
        return fail("the kernel has {} functions {}, not all of which can be traced", found.refused,
                    name);
    return Failure(explain_missing(name));
}

Result<KernelMatches> KernelFunctions::find(const Matches &matches,
                                            const std::string &pattern) const
{
    KernelMatches found = look_up(matches);
    if (!found.functions.empty())
        return found;
    if (found.refused)
        return fail("none of the kernel's {} functions that match {} can be traced", found.refused,
                    pattern);
    return fail("no function of the kernel matches {}", pattern);
}

}  // namespace uscope::resolve
