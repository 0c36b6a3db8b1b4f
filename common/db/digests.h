// How often each statement ran, and how long it took: by its digest.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "output/histogram.h"
#include "output/rows.h"

namespace uscope::db {

enum class DigestOrder : uint8_t { Total, Count, Average, P99, Max };
// "total", "count", "avg", "p99", "max"; nothing for any other.
std::optional<DigestOrder> parse_digest_order(std::string_view name);

class Digests {
  public:
    struct Row {
        std::string text;
        std::string tag = {};
        uint64_t errors = 0;
        output::Histogram latency;
    };

    // Those that come when there are `most` already are counted as one, under other_text.
    explicit Digests(size_t most) : most_(most) {}
    static constexpr const char *other_text = "(others)";

    // `tag`: statements with another one are counted apart.
    void add(const std::string &digest, uint64_t latency, bool is_error,
             const std::string &tag = {});
    // The first of `order` first, and forgotten here.
    std::vector<Row> take(DigestOrder order);

  private:
    size_t most_;
    std::map<std::string, Row> rows_;
};

// A table with a header, in milliseconds or microseconds, or a JSON object a row.
struct DigestStyle {
    uint64_t unit_ns = 1;         // of what was added
    bool microseconds = false;    // in the table
    const char *title = "QUERY";  // of the digests; in lower case their key
    bool json = false;
    bool full = false;   // also lines that are wider than the terminal
    bool errors = true;  // how many failed, where that is known
    bool tags = false;
};
void print_digests(output::Writer &writer, const std::vector<Digests::Row> &rows,
                   const DigestStyle &style);

}  // namespace uscope::db
