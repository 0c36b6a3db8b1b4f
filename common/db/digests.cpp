#include "db/digests.h"

#include <algorithm>
#include <array>

namespace uscope::db {
namespace {

uint64_t rank(const Digests::Row &row, DigestOrder order)
{
    const output::Histogram &latency = row.latency;
    switch (order) {
    case DigestOrder::Count:
        return latency.count();
    case DigestOrder::Average:
        return latency.average();
    case DigestOrder::P99:
        return latency.percentile(990);
    case DigestOrder::Max:
        return latency.max();
    default:
        return latency.sum();
    }
}

}  // namespace

std::optional<DigestOrder> parse_digest_order(std::string_view name)
{
    constexpr std::pair<std::string_view, DigestOrder> orders[] = {{"total", DigestOrder::Total},
                                                                   {"count", DigestOrder::Count},
                                                                   {"avg", DigestOrder::Average},
                                                                   {"p99", DigestOrder::P99},
                                                                   {"max", DigestOrder::Max}};
    for (const auto &[known, order] : orders) {
        if (known == name)
            return order;
    }
    return std::nullopt;
}

void Digests::add(const std::string &digest, uint64_t latency_ns, bool is_error)
{
    auto found = rows_.find(digest);
    if (found == rows_.end()) {
        std::string text = rows_.size() < most_ ? digest : other_text;
        found = rows_.try_emplace(text).first;
        found->second.text = text;
    }
    found->second.errors += is_error;
    found->second.latency.add(histogram_slot_of(latency_ns), {1, latency_ns, latency_ns});
}

std::vector<Digests::Row> Digests::take(DigestOrder order)
{
    std::vector<Row> rows;
    for (auto &[text, row] : rows_)
        rows.push_back(std::move(row));
    rows_.clear();
    std::stable_sort(rows.begin(), rows.end(), [order](const Row &a, const Row &b) {
        return rank(a, order) > rank(b, order);
    });
    return rows;
}

void print_digests(output::Writer &writer, const std::vector<Digests::Row> &rows, bool json)
{
    constexpr double ns_per_ms = 1e6;
    std::vector<output::Column> columns = {
        {"COUNT", 9, output::right},    {"TOTAL(ms)", 12, output::right},
        {"AVG(ms)", 10, output::right}, {"P50(ms)", 10, output::right},
        {"P99(ms)", 10, output::right}, {"MAX(ms)", 10, output::right},
        {"ERRORS", 7, output::right},   {"QUERY"}};
    if (json) {
        for (size_t i = 1; i <= 5; i++)
            columns[i].json = std::array{"total_ns", "avg_ns", "p50_ns", "p99_ns", "max_ns"}[i - 1];
    }
    output::Table table(writer, std::move(columns), json);
    table.header();
    for (const Digests::Row &row : rows) {
        const output::Histogram &latency = row.latency;
        auto time = [&](uint64_t ns) {
            return json ? output::Cell(ns) : output::Cell(double(ns) / ns_per_ms);
        };
        table.row({latency.count(), time(latency.sum()), time(latency.average()),
                   time(latency.percentile(500)), time(latency.percentile(990)),
                   time(latency.max()), row.errors, row.text});
    }
}

}  // namespace uscope::db
