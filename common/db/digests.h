// Counts and latencies of statements by digest.
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
std::vector<std::string> digest_order_names();
// nullopt: `name` is none of these names.
std::optional<DigestOrder> parse_digest_order(std::string_view name);

class Digests {
  public:
    struct Row {
        std::string text;
        std::string tag = {};
        uint64_t errors = 0;
        output::Histogram latency;
    };

    // `most`: how many digests to count separately; further ones are counted together under
    // other_text.
    explicit Digests(size_t max) : max_(max) {}
    static constexpr const char *other_text = "(others)";

    // Statements with different tags are counted separately.
    void add(const std::string &digest, uint64_t latency, bool is_error,
             const std::string &tag = {});
    // Returns all rows, sorted by `order` (largest first), and clears the counts.
    std::vector<Row> take(DigestOrder order);
    std::vector<Row> all(DigestOrder order) const;  // the same, and keeps the counts

  private:
    size_t max_;
    std::map<std::string, Row> rows_;
};

// How to print digests: as a table with a header, or as one JSON object for each row.
struct DigestStyle {
    uint64_t unit_ns = 1;         // unit of the latencies passed to add()
    const char *title = "QUERY";  // the digests' column; in lower case, their JSON key
    bool json = false;
    bool full = false;   // do not cut lines at the terminal's width
    bool errors = true;  // show how many of the statements failed
    bool tags = false;
};
void print_digests(output::Writer &writer, const std::vector<Digests::Row> &rows,
                   const DigestStyle &style);

}  // namespace uscope::db
