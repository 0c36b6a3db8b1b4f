// Applies --force-return and --unsafe, and limits shared exits.
#include "resolve/returns.h"

#include <algorithm>
#include <map>

#include <elf.h>

#include "base/named.h"
namespace uscope::resolve {
namespace {

// The maximum number of functions that share an exit. For each of them, another program runs at the
// exit.
constexpr size_t max_sharing = 8;

}  // namespace

namespace {

constexpr Named<ReturnMethod> return_methods[] = {{"exit", ReturnMethod::ExitSites},
                                                  {"probe", ReturnMethod::KernelProbe}};

}  // namespace

std::vector<std::string> return_method_names()
{
    return names_of(return_methods);
}

Result<> parse_value(std::string_view text, ReturnMethod &by)
{
    auto named = find_named(return_methods, text);
    if (!named)
        return fail_usage("\"{}\" is not a return method; use {}", text,
                          alternatives(return_method_names()));
    by = *named;
    return {};
}

ExitFinder &ReturnChooser::finder()
{
    if (!finder_)
        finder_.emplace(*opened_.image, branches_);
    return *finder_;
}

Result<ReturnMethod> ReturnChooser::choose(const elf::Function &function, Site &site)
{
    if (policy_.forced == ReturnMethod::KernelProbe)
        return ReturnMethod::KernelProbe;
    // On arm64, exits can be found, but are not yet proven to be correct and complete.
    bool is_proven = opened_.image->machine() == EM_X86_64;
    if (!is_proven && policy_.forced != ReturnMethod::ExitSites)
        return ReturnMethod::KernelProbe;
    auto exits = finder().find(function.vaddr, function.size, site.vaddr);
    if (exits) {
        set_exits(*exits, site);
        return ReturnMethod::ExitSites;
    }
    if (policy_.unsafe)
        return ReturnMethod::KernelProbe;
    return fail(
        "{}: the returns of {} cannot be traced safely: it {}, so not all of its exits are known "
        "(see uscope-probes(7))",
        opened_.file.path, function.display, exits.error().text);
}

void ReturnChooser::set_exits(const Exits &exits, Site &site) const
{
    auto offsets = [&](std::initializer_list<const std::vector<uint64_t> *> lists) {
        std::vector<uint64_t> result;
        for (const auto *list : lists) {
            for (uint64_t vaddr : *list)
                result.push_back(opened_.image->file_offset(vaddr).value_or(0));
        }
        return result;
    };
    site.return_offsets = offsets({&exits.returns});
    site.borrowed_offsets = offsets({&exits.borrowed});
    site.lone_return_offsets = offsets({&exits.lone_returns});
    site.tail_call_offsets = offsets({&exits.tail_calls, &exits.borrowed_tail_calls});
    site.branches.clear();
    for (const auto *list : {&exits.branches, &exits.borrowed_branches}) {
        for (const ExitBranch &branch : *list)
            site.branches.push_back({opened_.image->file_offset(branch.vaddr).value_or(0), branch,
                                     list == &exits.borrowed_branches});
    }
}

void ReturnChooser::separate_shared_exits(FileSites &sites)
{
    std::map<uint64_t, size_t> sharing;
    for (const Site &site : sites.sites) {
        for (uint64_t offset : site.borrowed_offsets)
            sharing[offset]++;
        for (const BranchSite &branch : site.branches)
            sharing[branch.offset] += branch.is_borrowed;
    }
    for (Site &site : sites.sites) {
        bool is_shared =
            std::any_of(site.borrowed_offsets.begin(), site.borrowed_offsets.end(),
                        [&](uint64_t offset) { return sharing[offset] > max_sharing; }) ||
            std::any_of(site.branches.begin(), site.branches.end(), [&](const BranchSite &branch) {
                return branch.is_borrowed && sharing[branch.offset] > max_sharing;
            });
        if (!is_shared)
            continue;
        if (auto alone = finder().find_alone(site.function_vaddr, 0, site.vaddr))
            set_exits(*alone, site);
    }
}

}  // namespace uscope::resolve
