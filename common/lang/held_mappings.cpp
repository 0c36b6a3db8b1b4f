// Replays mappings and unmappings in the order of their times.
#include "lang/held_mappings.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace uscope::lang {
namespace {

constexpr uint64_t map_page_bytes = 4096;

uint64_t whole_pages(uint64_t bytes)
{
    return (bytes + map_page_bytes - 1) & ~(map_page_bytes - 1);
}

// Assigns each address to the latest range that covers it.
class Pieces {
  public:
    // Returns true if a part of it belonged to another range.
    bool put(uint64_t start, uint64_t end, size_t owner)
    {
        cut(start);
        cut(end);
        auto from = pieces_.lower_bound(start), to = pieces_.lower_bound(end);
        bool is_over_others = from != to;
        pieces_.erase(from, to);
        pieces_[start] = {end, owner};
        return is_over_others;
    }

    void remove(uint64_t start) { pieces_.erase(start); }

    template <class Visit>
    void each(Visit visit) const
    {
        for (const auto &[start, piece] : pieces_)
            visit(piece.owner, piece.end - start);
    }

  private:
    struct Piece {
        uint64_t end;
        size_t owner;
    };

    void cut(uint64_t at)
    {
        auto next = pieces_.lower_bound(at);
        if (next == pieces_.begin())
            return;
        Piece &piece = std::prev(next)->second;
        if (piece.end <= at)
            return;
        pieces_[at] = piece;
        piece.end = at;
    }

    std::map<uint64_t, Piece> pieces_;
};

}  // namespace

std::vector<RangeState> held_ranges(const std::vector<MappedRange> &ranges)
{
    std::vector<size_t> order(ranges.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return ranges[a].ts_ns < ranges[b].ts_ns; });
    Pieces pieces;
    std::vector<RangeState> states(ranges.size());
    for (size_t i : order) {
        uint64_t start = ranges[i].address, end = start + whole_pages(ranges[i].bytes);
        if (end <= start)
            continue;
        states[i].is_needed = pieces.put(start, end, i) && ranges[i].is_hole;
        if (ranges[i].is_hole)
            pieces.remove(start);
    }
    pieces.each([&](size_t owner, uint64_t bytes) { states[owner].bytes += bytes; });
    for (size_t i = 0; i < ranges.size(); i++) {
        if (states[i].bytes && states[i].bytes == whole_pages(ranges[i].bytes))
            states[i].bytes = ranges[i].bytes;
    }
    return states;
}

}  // namespace uscope::lang
