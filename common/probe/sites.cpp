// Collects entry and exit sites, and splits them so that each program can tell its sites apart.
#include "probe/sites.h"

#include <algorithm>
#include <map>
#include <utility>

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

// The offsets of the registers in struct pt_regs, by their numbers in instructions.
constexpr uint8_t register_offsets[] = {80, 88, 96, 40, 152, 32, 104, 112,
                                        72, 64, 56, 48, 24,  16, 8,   0};

site_way way(const resolve::ExitBranch::Way &from)
{
    const insn::ReturnedValue &value = from.value;
    return {.constant = value.constant,
            .returns = from.returns,
            .reg = value.from == insn::ReturnedValue::From::Register ? register_offsets[value.reg]
                                                                     : uint8_t{SITE_NO_REGISTER},
            .shift = uint8_t(64 - value.bits),
            .is_signed = value.is_signed,
            .is_narrow = value.is_narrow,
            .pad = {}};
}

constexpr uint32_t carry = 1, parity = 4, zero = 0x40, sign = 0x80, overflow = 0x800;

site_exit exit_by(const resolve::ExitBranch &branch, uint32_t number)
{
    constexpr uint32_t flags[] = {overflow, carry, zero, carry | zero, sign, parity, 0, zero, 0};
    unsigned condition = branch.condition >> 1;
    bool is_always = branch.condition == resolve::ExitBranch::always;
    return {.stack = branch.offset,
            .number = number,
            .flags = flags[condition],
            .by_fp = branch.by_frame_pointer,
            .by_sign = condition == 6 || condition == 7,
            .is_inverted = is_always || (branch.condition & 1),
            .pad = {},
            .ways = {way(branch.not_taken), way(branch.taken)}};
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
        for (const resolve::BranchSite &branch : site.branches)
            add(branch.offset, branch.is_borrowed ? SITE_BORROWED : 0);
    });
}

std::vector<site_exit> describe_exits(const resolve::Group &group,
                                      const std::vector<Sites> &entries, uint32_t first,
                                      std::vector<Sites> &exits)
{
    static constexpr resolve::ExitBranch at_return = {.taken = {.returns = true}};
    std::vector<site_exit> described;
    for (size_t file = 0; file < exits.size(); file++) {
        // By their function's number and their offset. A branch may lead to a return of one
        // function by both ways, and of another one, which shares code with it, by one way.
        std::map<std::pair<uint64_t, uint64_t>, const resolve::ExitBranch *> branches;
        for (size_t i = 0; i < entries[file].size(); i++) {
            for (const resolve::BranchSite &branch : group.files[file].sites[i].branches)
                branches[{entries[file][i].cookie, branch.offset}] = &branch.branch;
        }
        for (attach::UprobeSite &exit : exits[file]) {
            auto branch = branches.find({exit.cookie & ~uint64_t{SITE_BORROWED}, exit.offset});
            described.push_back(exit_by(branch == branches.end() ? at_return : *branch->second,
                                        uint32_t(exit.cookie)));
            exit.cookie = first + described.size() - 1;
        }
    }
    return described;
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
