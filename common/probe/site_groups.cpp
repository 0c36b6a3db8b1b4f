#include "probe/site_groups.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "probe/build_options.h"
#include "probe/request.h"
#include "proc/maps.h"
#include "resolve/files.h"

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

// A name that two files have gets the file's before it.
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
            if (files[site.name].size() > 1)
                site.name = file_name(file) + ":" + site.name;
        }
    }
}

// The first place of each file gets the semaphore that `raised` has there.
Result<> give_semaphore(const spec::Probe &raised, const std::vector<pid_t> &lookup,
                        resolve::Group &group)
{
    auto owners = TRY(resolve::resolve(raised, lookup));
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

bool are_alike(const SiteGroup &one, const SiteGroup &other)
{
    if (one.group.tracepoint || other.group.tracepoint)
        return one.group.tracepoint && other.group.tracepoint &&
               one.group.tracepoint->id == other.group.tracepoint->id;
    return one.group.is_kernel == other.group.is_kernel &&
           one.group.return_method == other.group.return_method &&
           (one.probe->spec.kind == ProbeKind::Return) ==
               (other.probe->spec.kind == ProbeKind::Return);
}

bool have_same_merge_key(const SiteGroup &one, const SiteGroup &other)
{
    return !one.probe->merge_key.empty() && one.probe->merge_key == other.probe->merge_key &&
           one.group.operands.empty() && other.group.operands.empty();
}

// So that the tool knows them in the program that they share.
void name_as_labelled(SiteGroup &found)
{
    for (resolve::FileSites &file : found.group.files) {
        for (resolve::Site &site : file.sites)
            site.name = found.probe->label;
    }
}

// `all`: else those of one shape.
std::vector<SiteGroup> join(std::vector<SiteGroup> found, bool all)
{
    std::vector<SiteGroup> joined;
    for (SiteGroup &one : found) {
        if (!one.probe->merge_key.empty() && !one.probe->label.empty())
            name_as_labelled(one);
        auto same = std::find_if(joined.begin(), joined.end(), [&](const SiteGroup &other) {
            return (all || have_same_merge_key(one, other)) && are_alike(one, other);
        });
        if (same == joined.end())
            joined.push_back(std::move(one));
        else if (!one.group.tracepoint)
            join_files(same->group, std::move(one.group));
    }
    for (SiteGroup &one : joined) {
        if (one.group.files.size() > 1)
            tell_files_apart(one.group);
    }
    return joined;
}

// Leaves out the files in which the same probe was found for another owner: the C library, an
// interpreter. `owners`: by probe and file.
void keep_new_files(const ProbeRequest &parsed, std::map<std::string, pid_t> &owners,
                    std::vector<resolve::Group> &groups)
{
    for (resolve::Group &group : groups) {
        std::erase_if(group.files, [&](const resolve::FileSites &file) {
            auto id = proc::file_id(file.file.open_path);
            std::string key = fmt::format("{} {}", parsed.spec.source, id ? id->inode : 0);
            return owners.emplace(key, *parsed.lookup.owner).first->second != *parsed.lookup.owner;
        });
    }
    std::erase_if(groups, [](const resolve::Group &group) { return group.files.empty(); });
}

// The groups of one probe; `owners` as in keep_new_files().
Result<std::vector<resolve::Group>> groups_of(const ProbeRequest &parsed,
                                              const BuildOptions &options,
                                              std::map<std::string, pid_t> &owners)
{
    const Lookup &lookup = parsed.lookup;
    auto pids = lookup.owner ? std::vector<pid_t>{*lookup.owner} : options.lookup;
    if (options.any_later && !lookup.owner && !pids.empty())
        pids.push_back(resolve::later_processes);
    auto found = resolve::resolve(parsed.spec, pids, lookup.file ? &*lookup.file : nullptr);
    if (!found && options.explain)
        options.explain(parsed, found.error());
    if (!found && options.skips && options.skips(parsed, found.error()))
        return std::vector<resolve::Group>();
    std::vector<resolve::Group> groups = TRY(std::move(found));
    if (lookup.owner)
        keep_new_files(parsed, owners, groups);
    for (resolve::Group &group : groups) {
        if (lookup.kept_up_semaphore)
            TRY(give_semaphore(*lookup.kept_up_semaphore, pids, group));
        add_ends(lookup, pids, group);
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
        return fail("none of the probes is there");
    return join(std::move(found), options.joined);
}

}  // namespace uscope::probe
