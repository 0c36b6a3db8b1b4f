// Collects entry and exit sites, and splits them so that each program can tell its sites apart.
#include "probe/sites.h"

#include <algorithm>

#include "bpf/lib/site.h"
#include "probe/program.h"

namespace uscope::probe {
namespace {

constexpr uint64_t constant(uint64_t kind, uint32_t value)
{
    return kind << 32 | value;
}

uint32_t offset_in_page(const attach::UprobeSite &site)
{
    return site.offset % SITE_PAGE_BYTES;
}

size_t count(const Part &part)
{
    size_t sites = 0;
    for (const Sites &file : part.files)
        sites += file.size();
    return sites;
}

// Puts the n-th site with the same offset in its page into the n-th part. `alone`: puts each site
// into a part of its own.
std::vector<Part> distribute(const std::vector<Sites> &files, bool alone)
{
    std::vector<Part> parts;
    std::vector<uint32_t> used(SITE_PAGE_BYTES);
    for (size_t file = 0; file < files.size(); file++) {
        for (const attach::UprobeSite &site : files[file]) {
            size_t part = alone ? parts.size() : used[offset_in_page(site)]++;
            if (part == parts.size())
                parts.push_back({0, std::vector<Sites>(files.size())});
            parts[part].files[file].push_back(site);
        }
    }
    return parts;
}

uint32_t only_number(const Part &part)
{
    for (const Sites &file : part.files) {
        if (!file.empty())
            return file[0].cookie;
    }
    return 0;
}

// Returns the exits of the functions. `exits_of(site, add)` calls add(offset, mark) for each exit
// of a function; `mark` is added to the exit's number.
template <class ExitsOf>
std::vector<Sites> exit_sites(const resolve::Group &group, const std::vector<Sites> &entries,
                              ExitsOf &&exits_of)
{
    std::vector<Sites> exits(entries.size());
    for (size_t file = 0; file < entries.size(); file++) {
        for (size_t i = 0; i < entries[file].size(); i++) {
            uint64_t number = entries[file][i].cookie;
            const resolve::Site &site = group.files[file].sites[i];
            const auto &lone = site.lone_return_offsets;
            exits_of(site, [&](uint64_t offset, uint32_t mark) {
                bool is_lone = std::count(lone.begin(), lone.end(), offset) != 0;
                exits[file].push_back({offset, 0, number | mark, !is_lone});
            });
        }
    }
    return exits;
}

}  // namespace

std::vector<Sites> number_sites(const resolve::Group &group, bool apart)
{
    std::vector<Sites> numbered;
    uint64_t number = 0;
    for (const auto &file : group.files) {
        Sites &sites = numbered.emplace_back();
        for (const auto &site : file.sites)
            sites.push_back({group.is_kernel ? site.vaddr : site.file_offset, site.ref_ctr_offset,
                             apart ? ++number : 0});
    }
    return numbered;
}

std::vector<Sites> return_sites(const resolve::Group &group, const std::vector<Sites> &entries,
                                bool all)
{
    return exit_sites(group, entries, [&](const resolve::Site &site, auto &&add) {
        for (uint64_t offset : site.return_offsets)
            add(offset, 0);
        for (uint64_t offset : site.borrowed_offsets)
            add(offset, SITE_BORROWED);
        if (all) {
            for (uint64_t offset : site.tail_call_offsets)
                add(offset, SITE_BORROWED);
        }
    });
}

std::vector<Sites> tail_call_sites(const resolve::Group &group, const std::vector<Sites> &entries)
{
    return exit_sites(group, entries, [&](const resolve::Site &site, auto &&add) {
        for (uint64_t offset : site.tail_call_offsets)
            add(offset, SITE_BORROWED);
    });
}

std::vector<Part> split_sites(const std::vector<Sites> &sites, SiteIdentity identity,
                              uint32_t &next_index)
{
    if (identity == SiteIdentity::None)
        return {{constant(SITE_FIXED, 0), sites}};
    if (identity == SiteIdentity::Cookie)
        return {{constant(SITE_COOKIE, 0), sites}};
    std::vector<Part> parts = distribute(sites, identity == SiteIdentity::Separate);
    for (Part &part : parts) {
        if (count(part) == 1) {
            part.site = constant(SITE_FIXED, only_number(part));
        } else {
            part.site = constant(SITE_TABLE, next_index);
            next_index += SITE_PAGE_BYTES;
        }
    }
    return parts;
}

std::vector<std::pair<uint32_t, uint32_t>> table_entries(const Part &part)
{
    std::vector<std::pair<uint32_t, uint32_t>> entries;
    if ((part.site >> 32 & SITE_KIND) != SITE_TABLE)
        return entries;
    for (const Sites &file : part.files) {
        for (const attach::UprobeSite &site : file)
            entries.emplace_back(uint32_t(part.site) + offset_in_page(site), site.cookie);
    }
    return entries;
}

}  // namespace uscope::probe
