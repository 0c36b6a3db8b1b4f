// Finds the groups of each probe, and joins those that one program can serve.
#include "probe/site_groups.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "probe/build_options.h"
#include "probe/request.h"
#include "proc/maps.h"
#include "resolve/files.h"
#include "resolve/names.h"
#include "resolve/shown_groups.h"

namespace uscope::probe {
namespace {

using spec::ProbeKind;

void join_files(resolve::Group &group, resolve::Group other)
{
    for (resolve::FileSites &file : other.files) {
        auto same = std::find_if(group.files.begin(), group.files.end(), [&](const auto &known) {
            return known.file.open_path == file.file.open_path;
        });
        if (same == group.files.end()) {
            group.files.push_back(std::move(file));
            continue;
        }
        std::set<std::pair<uint64_t, std::string>> known;
        for (const auto &site : same->sites)
            known.emplace(site.file_offset, site.name);
        for (auto &site : file.sites) {
            if (known.emplace(site.file_offset, site.name).second)
                same->sites.push_back(std::move(site));
        }
    }
    group.operands.clear();
    group.operand_texts.clear();
    for (const auto &[reason, count] : other.refusals)
        group.refusals[reason] += count;
}

// If sites in several files have the same name, prefixes it with the name of the file; also names
// that are addresses in a file (elf/unnamed_functions.h).
void tell_files_apart(resolve::Group &group)
{
    auto file_name = [](const resolve::FileSites &file) {
        return file.file.path.substr(file.file.path.rfind('/') + 1);
    };
    std::map<std::string, std::set<std::string>> files;  // by the sites' names
    for (const auto &file : group.files) {
        for (const auto &site : file.sites)
            files[site.name].insert(file_name(file));
    }
    for (auto &file : group.files) {
        for (auto &site : file.sites) {
            bool is_address = group.files.size() > 1 && site.name.starts_with('+');
            if (is_address || files[site.name].size() > 1)
                site.name = file_name(file) + ":" + site.name;
        }
    }
}

// Keeps only the first site of each file, and makes it raise the semaphore that `usdt_probe` has in
// that file.
Result<> give_semaphore(const spec::Probe &usdt_probe, const std::vector<pid_t> &lookup,
                        resolve::Group &group)
{
    auto owners = TRY(resolve::resolve(usdt_probe, lookup));
    for (resolve::FileSites &file : group.files) {
        file.sites.resize(1);
        for (const resolve::Group &owner : owners) {
            for (const resolve::FileSites &other : owner.files) {
                if (other.file.open_path == file.file.open_path)
                    file.sites[0].ref_ctr_offset = other.sites[0].ref_ctr_offset;
            }
        }
    }
    return {};
}

// Adds the entries of Lookup::other_ends to the exits of the group's function.
void add_ends(const Lookup &lookup, const std::vector<pid_t> &pids, resolve::Group &group)
{
    for (const spec::Probe &end : lookup.other_ends) {
        auto groups = resolve::resolve(end, pids, lookup.file ? &*lookup.file : nullptr);
        if (!groups)
            continue;
        for (const resolve::FileSites &file : (*groups)[0].files)
            group.files[0].sites[0].return_offsets.push_back(file.sites[0].file_offset);
    }
}

bool are_alike(const SiteGroup &a, const SiteGroup &b)
{
    if (a.group.tracepoint || b.group.tracepoint)
        return a.group.tracepoint && b.group.tracepoint &&
               a.group.tracepoint->id == b.group.tracepoint->id;
    return a.group.is_kernel == b.group.is_kernel &&
           a.group.return_method == b.group.return_method &&
           (a.probe->spec.kind == ProbeKind::Return) == (b.probe->spec.kind == ProbeKind::Return);
}

bool have_same_merge_key(const SiteGroup &a, const SiteGroup &b)
{
    return !a.probe->merge_key.empty() && a.probe->merge_key == b.probe->merge_key &&
           a.group.operands.empty() && b.group.operands.empty();
}

// Names the sites by the probe's label, so that the tool can distinguish the probes that share a
// program.
void name_as_labelled(SiteGroup &found)
{
    for (resolve::FileSites &file : found.group.files) {
        for (resolve::Site &site : file.sites)
            site.name = found.probe->label;
    }
}

// Joins groups that one program can serve. `all`: joins all similar groups; otherwise, only groups
// with the same merge_key.
std::vector<SiteGroup> join_groups(std::vector<SiteGroup> found, bool all)
{
    std::vector<SiteGroup> joined;
    for (SiteGroup &sites : found) {
        if (!sites.probe->merge_key.empty() && !sites.probe->label.empty())
            name_as_labelled(sites);
        auto same = std::find_if(joined.begin(), joined.end(), [&](const SiteGroup &other) {
            return (all || have_same_merge_key(sites, other)) && are_alike(sites, other);
        });
        if (same == joined.end())
            joined.push_back(std::move(sites));
        else if (!sites.group.tracepoint)
            join_files(same->group, std::move(sites.group));
    }
    for (SiteGroup &sites : joined) {
        if (sites.group.files.size() > 1)
            tell_files_apart(sites.group);
    }
    return joined;
}

// Removes files in which the same probe was already found for another owner (Lookup::owner):
// several processes use the same C library or interpreter. `owners`: for each probe and inode, the
// first owner.
void keep_new_files(const ProbeRequest &probe, std::map<std::string, pid_t> &owners,
                    std::vector<resolve::Group> &groups)
{
    for (resolve::Group &group : groups) {
        std::erase_if(group.files, [&](const resolve::FileSites &file) {
            auto id = proc::file_id(file.file.open_path);
            std::string key = fmt::format("{} {}", probe.spec.source, id ? id->inode : 0);
            return owners.emplace(key, *probe.lookup.owner).first->second != *probe.lookup.owner;
        });
    }
    std::erase_if(groups, [](const resolve::Group &group) { return group.files.empty(); });
}

bool uses_name(const expr::NodeRef &node, std::string_view name)
{
    return node && ((node->kind == expr::NodeKind::Name && node->text == name) ||
                    std::any_of(node->children.begin(), node->children.end(),
                                [&](const auto &child) { return uses_name(child, name); }));
}

bool uses_name(const ProbeRequest &probe, std::string_view name)
{
    auto uses = [&](const auto &value) { return uses_name(value.node, name); };
    return uses_name(probe.predicate, name) || uses_name(probe.measured, name) ||
           std::any_of(probe.values.begin(), probe.values.end(), uses) ||
           std::any_of(probe.addends.begin(), probe.addends.end(), uses);
}

using Functions = std::map<std::pair<std::string, uint64_t>, const resolve::Site *>;

std::pair<std::string, uint64_t> function_key(const resolve::FileSites &file,
                                              const resolve::Site &site)
{
    return {file.file.open_path, site.function_vaddr};
}

// Returns the functions with a result that branches before the return do not show.
Functions need_return_instructions(const ProbeRequest &probe,
                                   const std::vector<resolve::Group> &groups)
{
    Functions functions;
    if (!probe.shows_all && !uses_name(probe, "retval") && !uses_name(probe, "$retval"))
        return functions;
    for (const resolve::Group &group : groups) {
        if (!group.has_branches())
            continue;
        for (const resolve::Group &one : resolve::split_by_functions(group)) {
            if (!resolve::Names(probe.spec, one).returns_two_registers())
                continue;
            for (const resolve::FileSites &file : one.files)
                for (const resolve::Site &site : file.sites)
                    functions.emplace(function_key(file, site), nullptr);
        }
    }
    return functions;
}

// Puts the sites that `others` have for these functions into the groups.
void replace_sites(std::vector<resolve::Group> &groups, const std::vector<resolve::Group> &others,
                   Functions &functions)
{
    for (const resolve::Group &group : others)
        for (const resolve::FileSites &file : group.files)
            for (const resolve::Site &site : file.sites)
                if (auto found = functions.find(function_key(file, site)); found != functions.end())
                    found->second = &site;
    for (resolve::Group &group : groups) {
        for (resolve::FileSites &file : group.files) {
            for (resolve::Site &site : file.sites) {
                auto found = functions.find(function_key(file, site));
                if (found != functions.end() && found->second)
                    site = *found->second;
            }
        }
    }
}

// Returns the groups of one probe. `owners`: see keep_new_files().
Result<std::vector<resolve::Group>> groups_of(const ProbeRequest &probe,
                                              const BuildOptions &options,
                                              std::map<std::string, pid_t> &owners)
{
    const Lookup &lookup = probe.lookup;
    auto pids = lookup.owner ? std::vector<pid_t>{*lookup.owner} : options.lookup;
    if (options.any_later && !lookup.owner && !pids.empty())
        pids.push_back(resolve::later_processes);
    auto found =
        resolve::resolve(probe.spec, pids, lookup.file ? &*lookup.file : nullptr, options.returns);
    Functions functions = found ? need_return_instructions(probe, *found) : Functions();
    if (!functions.empty()) {
        spec::Probe spec = probe.spec;
        spec.needs.branches.is_allowed = false;
        auto others = TRY(
            resolve::resolve(spec, pids, lookup.file ? &*lookup.file : nullptr, options.returns));
        replace_sites(*found, others, functions);
    }
    if (!found && options.explain)
        options.explain(probe, found.error());
    if (!found && options.skips && options.skips(probe, found.error()))
        return std::vector<resolve::Group>();
    std::vector<resolve::Group> groups = TRY(std::move(found));
    if (lookup.owner)
        keep_new_files(probe, owners, groups);
    for (resolve::Group &group : groups) {
        if (lookup.kept_up_semaphore)
            TRY(give_semaphore(*lookup.kept_up_semaphore, pids, group));
        add_ends(lookup, pids, group);
        if (!options.any_later && !options.filter.in_targets_map && !lookup.owner)
            group.processes = options.lookup;
    }
    return groups;
}

}  // namespace

Result<std::vector<SiteGroup>> find_site_groups(
    const std::vector<std::unique_ptr<ProbeRequest>> &probes, const BuildOptions &options)
{
    std::vector<SiteGroup> found;
    std::map<std::string, pid_t> owners;
    for (const auto &probe : probes) {
        for (resolve::Group &group : TRY(groups_of(*probe, options, owners)))
            found.push_back({probe.get(), std::move(group)});
    }
    if (options.skips && found.empty())
        return fail("none of the probes exists");
    std::vector<SiteGroup> groups;
    for (SiteGroup &joined : join_groups(std::move(found), options.joined)) {
        const ProbeRequest &probe = *joined.probe;
        std::vector<resolve::Group> split;
        if (uses_name(probe, "$func"))
            split = resolve::split_by_names(std::move(joined.group));
        else if (probe.shows_all)
            split = resolve::split_by_values(probe.spec, std::move(joined.group));
        else
            split.push_back(std::move(joined.group));
        for (resolve::Group &group : split)
            groups.push_back({&probe, std::move(group)});
    }
    return groups;
}

}  // namespace uscope::probe
