// Numbers the sites of a probe (the code addresses to which it is attached), and splits them into
// parts that one program can serve. bpf/lib/site.h explains how a program finds out at which site
// it runs.
//
// Example: a tool that shows names of functions traces sites at the file offsets 0x1040, 0x2080 and
// 0x5040. If each site has an attach cookie, one program serves all three. Without cookies, a
// program can only use the last 12 bits of the address at which it runs, and these are equal at
// 0x1040 and 0x5040. So there are two parts: {0x1040, 0x2080}, whose numbers are in the site table,
// and {0x5040} alone.
#pragma once

#include <vector>

#include "attach/uprobe_event.h"
#include "bpf/lib/site.h"

namespace uscope::resolve {
struct Group;
}

namespace uscope::probe {

// The sites of one file. `cookie` is the site's number. For kernel functions, `offset` is an
// address.
using Sites = std::vector<attach::UprobeSite>;

// How many entries of site_table and site_exits (bpf/lib/site.h) are in use.
struct SiteTableSizes {
    uint32_t sites = 0, exits = 0;
};

// The sites that one program serves.
struct Part {
    uint64_t site = 0;         // the program's constant (bpf/lib/site.h)
    std::vector<Sites> files;  // in the order of resolve::Group::files
};

// How a program finds out at which site it runs.
enum class SiteIdentity : uint8_t {
    None,         // the program does not need to know its site
    Cookie,       // by the attach cookie
    AddressBits,  // by the last 12 bits of the address
    // Each site has its own program. For the kernel's return probes: these run at an address in the
    // caller, not at the site.
    Separate,
};

// Returns the sites by file, numbered from 1 if programs have to tell them apart (`apart`).
// Otherwise, all numbers are 0.
std::vector<Sites> number_sites(const resolve::Group &group, bool apart);
// Returns the return instructions of the functions, with the numbers that the functions have in
// `entries`, and the return instructions of functions that they tail-call, marked SITE_BORROWED.
// `all`: also their jumps to other functions.
// Includes branches before returns.
std::vector<Sites> return_sites(const resolve::Group &group, const std::vector<Sites> &entries,
                                bool all);
// Returns only the jumps to other functions.
std::vector<Sites> tail_call_sites(const resolve::Group &group, const std::vector<Sites> &entries);

// Describes these exits for the map site_exits, and replaces their numbers by the indexes
// there. `entries`: as for return_sites(). `first`: the first index.
std::vector<site_exit> describe_exits(const resolve::Group &group,
                                      const std::vector<Sites> &entries, uint32_t first,
                                      std::vector<Sites> &exits);

// `next_index` (in and out): the first free index of the site table.
std::vector<Part> split_sites(const std::vector<Sites> &sites, SiteIdentity identity,
                              uint32_t &next_index);

// Returns the site table's entries for this part: pairs of an index and a site's number.
std::vector<std::pair<uint32_t, uint32_t>> table_entries(const Part &part);

}  // namespace uscope::probe
