// Numbers the sites of a probe, and splits them into parts that one program can serve.
// bpf/lib/site.h explains how a program finds out at which site it runs.
//
// Example: a tool shows the names of functions at file offsets 0x1040, 0x2080 and 0x5040. If each
// site has an attach cookie, one program serves all three. Without cookies, a program only sees the
// last 12 bits of the address, which are equal at 0x1040 and 0x5040. So there are two parts:
// {0x1040, 0x2080}, whose numbers are in the table, and {0x5040} alone.
#pragma once

#include <vector>

#include "attach/uprobe_event.h"

namespace uscope::resolve {
struct Group;
}

namespace uscope::probe {

// The sites of one file; the cookie is the site's number. In the kernel, the offset is an address.
using Sites = std::vector<attach::UprobeSite>;

// The sites that one program serves.
struct Part {
    uint64_t site = 0;         // the program's constant (bpf/lib/site.h)
    std::vector<Sites> files;  // in the order of resolve::Group::files
};

// How a program finds out at which site it runs.
enum class SiteIdentity : uint8_t {
    None,         // it does not need to
    Cookie,       // by the attach cookie
    AddressBits,  // by the last 12 bits of the address
    Separate,     // each site has its own program (kernel return probes see the caller's address)
};

// Returns the sites by file, numbered from 1. All numbers are 0 unless `apart` is set.
std::vector<Sites> number_sites(const resolve::Group &group, bool apart);
// Returns the return instructions of the functions, with the numbers of `entries`, and those of the
// functions that they tail-call, marked SITE_BORROWED. `all`: also the jumps to other functions.
std::vector<Sites> return_sites(const resolve::Group &group, const std::vector<Sites> &entries,
                                bool all);
// Returns only those jumps.
std::vector<Sites> tail_call_sites(const resolve::Group &group, const std::vector<Sites> &entries);

// `next_index` (in and out): the first free index of the site table.
std::vector<Part> split_sites(const std::vector<Sites> &sites, SiteIdentity identity,
                              uint32_t &next_index);

// The site table's entries for this part: index and site's number.
std::vector<std::pair<uint32_t, uint32_t>> table_entries(const Part &part);

}  // namespace uscope::probe
