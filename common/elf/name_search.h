// Finds the entries of a table of symbols or functions whose names contain a text.
//
// The names are all in one string table. Searching this table as a whole is several times faster
// than searching name by name. The search yields the ranges of offsets at which a name that
// contains the text can begin; an entry matches if the offset of its name is in one of them. For
// the text "main":
//
//     strings   \0 main \0 c:main2 \0 exit \0          ranges [1, 1] and [6, 8]
//
// A name may begin inside another one ("main2" at 8), so the second range has three offsets.
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
    // `strings`: the string table; each name ends with a NUL. `is_file`: the tables are mapped from
    // a file, so their pages may be released after reading all of them.
    NameSearch(Bytes strings, bool is_file) : strings_(strings), is_file_(is_file) {}

    Bytes strings() const { return strings_; }

    // Calls visit(i) for each entry i in [first, last) whose name contains `text`. If keep() was
    // called for a text that `text` contains, calls it for all entries that keep() found, so
    // callers must check the names. name_at(i) returns the offset of the name of entry i in the
    // string table, or nullopt.
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

    // Searches for `text` and remembers the matching entries. Later calls of each_containing() for
    // longer texts that contain `text` need not read a large table again.
    template <class NameAt>
    void keep(std::string_view text, size_t first, size_t last, NameAt &&name_at)
    {
        std::vector<uint32_t> kept;
        each_containing(text, first, last, name_at, [&](size_t i) { kept.push_back(uint32_t(i)); });
        kept_ = std::move(kept);
        kept_text_ = text;
    }

    bool is_file() const { return is_file_; }
    // Call after reading all of `table`: releases its memory pages if it is large and mapped from a
    // file.
    void release(Bytes table) const;

  private:
    // Names that begin at an offset in [first, last] contain the text. Ranges are sorted and
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
    std::vector<uint32_t> kept_;  // the entries that keep() found for kept_text_
    bool is_file_ = false;
};

}  // namespace uscope::elf
