// Searches the string table for a text, and computes where the names that contain it may begin.
#include "elf/name_search.h"

#include <algorithm>
#include <cstring>

#include "base/fd.h"

namespace uscope::elf {
namespace {

constexpr size_t large_table = 4 << 20;  // smaller tables stay in memory

}  // namespace

NameSearch::Ranges NameSearch::names_holding(std::string_view text) const
{
    Ranges ranges;
    // Offsets of names have 32 bits, so no name begins beyond that.
    std::string_view strings = strings_.text().substr(0, UINT32_MAX);
    size_t first = 0;
    for (size_t at = 0; at < strings.size();) {
        auto *found = static_cast<const char *>(
            memmem(strings.data() + at, strings.size() - at, text.data(), text.size()));
        if (!found)
            break;
        size_t last = found - strings.data();
        // The longest name that contains this match begins after the NUL before it. If there is no
        // NUL since the last match, both matches are in the same name, and `first` stays.
        if (size_t before = strings.substr(at, last - at).rfind('\0'); before != strings.npos)
            first = at + before + 1;
        if (!ranges.empty() && ranges.back().first == first)
            ranges.back().last = last;
        else
            ranges.push_back({static_cast<uint32_t>(first), static_cast<uint32_t>(last)});
        at = last + 1;
    }
    release(strings_);
    return ranges;
}

bool NameSearch::is_in(const Ranges &ranges, uint32_t name)
{
    auto next =
        std::upper_bound(ranges.begin(), ranges.end(), name,
                         [](uint32_t wanted, const Range &range) { return wanted < range.first; });
    return next != ranges.begin() && name <= std::prev(next)->last;
}

void NameSearch::release(Bytes table) const
{
    if (is_file_ && table.size() > large_table)
        release_pages(table);
}

}  // namespace uscope::elf
