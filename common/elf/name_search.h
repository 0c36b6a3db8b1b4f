// Searches for a text in the names of a whole table of symbols or functions.
//
// It searches the string table as a whole, several times faster than name by name; then it visits
// only those entries whose names contain the text:
//
//     strings   \0 main \0 c:main2 \0 exit \0
//
// "main" is in the names that begin in [1, 1] and [6, 8].
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace uscope::elf {

class NameSearch {
  public:
    NameSearch() = default;
    // `strings`: the names, each terminated by a zero. `is_file`: they are mapped from a file, so
    // that their pages may be released after a pass.
    NameSearch(Bytes strings, bool is_file) : strings_(strings), is_file_(is_file) {}

    Bytes strings() const { return strings_; }

    // Calls visit(i) for the entries in [first, last) whose names contain `text`; after keep(),
    // perhaps also for others whose names contain the kept text. name_at(i) returns the offset of
    // an entry's name in the strings, or nullopt.
    template <class NameAt, class Visit>
    void each_containing(std::string_view text, size_t first, size_t last, NameAt &&name_at,
                         Visit &&visit) const
    {
        if (has_kept(text)) {
            for (uint32_t i : kept_)
                visit(i);
            return;
        }
        Ranges ranges = names_holding(text);
        for (size_t i = first; i < last && !ranges.empty(); ++i)
            if (auto name = name_at(i); name && is_in(ranges, *name))
                visit(i);
    }

    // Searches for `text` once and keeps the matches, for later searches of longer texts that
    // contain it: these need not read a large table again.
    template <class NameAt>
    void keep(std::string_view text, size_t first, size_t last, NameAt &&name_at)
    {
        std::vector<uint32_t> kept;
        each_containing(text, first, last, name_at, [&](size_t i) { kept.push_back(uint32_t(i)); });
        kept_ = std::move(kept);
        kept_text_ = text;
    }

    bool is_file() const { return is_file_; }
    // Releases the pages of a large table after a pass over it.
    void release(Bytes table) const;

  private:
    // Names that begin in [first, last], both offsets into the strings. Ranges are sorted and
    // disjoint.
    struct Range {
        uint32_t first, last;
    };
    using Ranges = std::vector<Range>;

    bool has_kept(std::string_view text) const
    {
        return !kept_text_.empty() && text.find(kept_text_) != text.npos;
    }
    Ranges names_holding(std::string_view text) const;
    static bool is_in(const Ranges &ranges, uint32_t name);

    Bytes strings_;
    std::string kept_text_;
    std::vector<uint32_t> kept_;  // the entries whose names contain kept_text_
    bool is_file_ = false;
};

}  // namespace uscope::elf
