// Compares what is shown of functions.
#include "resolve/shown_groups.h"

#include <map>
#include <set>

#include "base/format.h"
#include "dwarf/dwarf.h"
#include "resolve/names.h"

namespace uscope::resolve {
namespace {

std::string place_of(const abi::Operand &operand)
{
    return fmt::format("{} {} {} {} {} {} {}", int(operand.kind), operand.size, operand.value,
                       operand.has_base, operand.base.pt_regs_offset, operand.is_float,
                       operand.why);
}

std::string place_of(const expr::Variable &variable)
{
    std::string text = variable.type ? variable.type->name : "";
    if (const auto *operand = std::get_if<abi::Operand>(&variable.source))
        return text + "; " + place_of(*operand);
    if (const auto *parts = std::get_if<expr::Parts>(&variable.source)) {
        for (const auto &part : parts->parts)
            text += fmt::format("; {} {}", part.offset, place_of(part.operand));
    }
    return text;
}

Group without_sites(const Group &group)
{
    Group empty = group;
    for (FileSites &file : empty.files)
        file.sites.clear();
    empty.refusals.clear();
    return empty;
}

Group with_one_site(const FileSites &file, const Site &site, Group group)
{
    group.files.assign(1, file);
    group.files[0].sites.assign(1, site);
    return group;
}

void mark_overloads(Group &group)
{
    std::map<std::string_view, std::set<std::string_view>> overloads;
    for (const FileSites &file : group.files) {
        for (const Site &site : file.sites)
            overloads[site.name].insert(site.parameters);
    }
    for (FileSites &file : group.files) {
        for (Site &site : file.sites)
            site.is_overload = overloads[site.name].size() > 1;
    }
}

void remove_empty_files(Group &group)
{
    std::erase_if(group.files, [](const FileSites &file) { return file.sites.empty(); });
}

}  // namespace

std::string Names::shown_key()
{
    std::string key;
    shown();
    for (size_t i = 0; i < shown_.labels.size(); i++)
        key += fmt::format("{}={}, {}\n", shown_.labels[i].label, shown_.labels[i].why,
                           place_of(shown_.values[i]));
    return key;
}

std::vector<Group> split_by_functions(const Group &group)
{
    if (group.site_count() < 2 || group.site_count() > max_shown_sites)
        return {group};
    const Group empty = without_sites(group);
    std::vector<Group> groups;
    for (FileSites file : group.files) {
        std::vector<Site> sites = std::move(file.sites);
        if (file.image && !file.debug)
            file.debug = open_debug(file);
        for (const Site &site : sites)
            groups.push_back(with_one_site(file, site, empty));
    }
    return groups;
}

std::vector<Group> split_by_names(Group group)
{
    mark_overloads(group);
    std::map<std::string, Group> named;
    const Group empty = without_sites(group);
    for (size_t i = 0; i < group.files.size(); i++) {
        for (const Site &site : group.files[i].sites) {
            std::string name = site.is_overload ? site.name + site.parameters : site.name;
            Group &one = named.try_emplace(std::move(name), empty).first->second;
            one.files[i].sites.push_back(site);
        }
        if (named.size() >= max_shown_groups)
            return {std::move(group)};
    }
    std::vector<Group> groups;
    for (auto &[name, one] : named) {
        remove_empty_files(one);
        groups.push_back(std::move(one));
    }
    groups[0].refusals = std::move(group.refusals);
    return groups;
}

std::vector<Group> split_by_values(const spec::Probe &probe, Group group)
{
    size_t count = group.site_count();
    bool is_function =
        probe.kind == spec::ProbeKind::Entry || probe.kind == spec::ProbeKind::Return;
    if (count < 2 || !is_function || probe.has_signature || probe.line.number || probe.offset)
        return {std::move(group)};
    mark_overloads(group);
    group.without_values = count;
    if (count > max_shown_sites)
        return {std::move(group)};

    Group rest = without_sites(group);
    const Group empty = rest;
    std::vector<Group> groups;
    std::map<std::pair<size_t, std::string>, size_t> known;  // by the file, and what is shown
    for (size_t i = 0; i < group.files.size(); i++) {
        FileSites file = group.files[i];
        file.sites.clear();
        if (file.image)
            file.debug = open_debug(file);
        for (const Site &site : group.files[i].sites) {
            Group one = with_one_site(file, site, empty);
            std::pair key(i, Names(probe, one).shown_key());
            if (auto same = known.find(key); same != known.end()) {
                groups[same->second].files[0].sites.push_back(site);
            } else if (groups.size() + 1 < max_shown_groups) {
                known.emplace(std::move(key), groups.size());
                groups.push_back(std::move(one));
            } else {
                rest.files[i].sites.push_back(site);
            }
        }
    }
    for (Group &one : groups) {
        one.shows_the_same = true;
        one.without_values = 0;
    }
    remove_empty_files(rest);
    rest.without_values = rest.site_count();
    if (rest.without_values)
        groups.push_back(std::move(rest));
    groups[0].refusals = std::move(group.refusals);
    return groups;
}

}  // namespace uscope::resolve
