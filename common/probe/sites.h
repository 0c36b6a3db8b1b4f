// The sites of a probe, numbered, and which of them one program can serve: bpf/lib/site.h says how a
// program knows at which site it runs.
//
// For example functions at 0x1040, 0x2080 and 0x5040 of a file, whose names a tool shows. Where each
// site has a cookie of its own, one program serves all three. Else the first and the last, which
// would look alike, are parts of their own: {0x1040, 0x2080} by the table, {0x5040} alone.
#pragma once

#include <vector>

#include "attach/uprobe_event.h"

namespace uscope::resolve {
struct Group;
}

namespace uscope::probe {

// Of a file; their cookies are their numbers. In the kernel, offsets are addresses.
using Sites = std::vector<attach::UprobeSite>;

// What one program serves.
struct Part {
    uint64_t site = 0;         // the program's constant
    std::vector<Sites> files;  // in the order of the group's
};

enum class SiteIdentity : uint8_t {
    None,         // nobody wants to know which site it was
    Cookie,       // the kernel tells
    AddressBits,  // the last bits of the address tell
    Separate,     // nothing tells (at returns, the address is the caller's)
};

// By file. Numbers begin with 1, or are 0 when there is nothing to tell apart.
std::vector<Sites> number_sites(const resolve::Group &group, bool apart);
// The return instructions of those functions, under their numbers, and of those that they
// tail-call, marked as SITE_BORROWED. `all`: the jumps to the others, too.
std::vector<Sites> return_sites(const resolve::Group &group, const std::vector<Sites> &entries,
                                bool all);
// Those jumps alone.
std::vector<Sites> tail_call_sites(const resolve::Group &group, const std::vector<Sites> &entries);

// `next_place` is the first index of the table that is free, and becomes so again.
std::vector<Part> split_sites(const std::vector<Sites> &sites, SiteIdentity identity,
                              uint32_t &next_place);

// What the table holds: the numbers of a part's sites, by index.
std::vector<std::pair<uint32_t, uint32_t>> table_entries(const Part &part);

}  // namespace uscope::probe
