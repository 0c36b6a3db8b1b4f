// Counts statements by digest, and prints the table of --digest.
#include "db/digests.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "output/clock.h"

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

void Digests::add(const std::string &digest, uint64_t latency, bool is_error,
                  const std::string &tag)
{
    std::string key = tag.empty() ? digest : digest + '\0' + tag;
    auto found = rows_.find(key);
    if (found == rows_.end()) {
        bool is_other = rows_.size() >= most_;
        found = rows_.try_emplace(is_other ? other_text : key).first;
        found->second.text = is_other ? other_text : digest;
        found->second.tag = is_other ? "" : tag;
    }
    found->second.errors += is_error;
    found->second.latency.add(histogram_slot_of(latency), {1, latency, latency});
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

void print_digests(output::Writer &writer, const std::vector<Digests::Row> &rows,
                   const DigestStyle &style)
{
    using output::Cell, output::Histogram;
    using Row = Digests::Row;
    uint64_t now_ns = output::Clock::now_unix_ns();
    double shown_ns = style.microseconds ? 1e3 : 1e6;
    int digits = style.microseconds ? 0 : 3;
    const char *unit = style.microseconds ? "us" : "ms";
    auto time = [&](const char *title, const char *key, int width, auto of) {
        auto ns = [=, unit_ns = style.unit_ns](const Row &row) {
            return of(row.latency) * unit_ns;
        };
        return output::Field<Row>{
            .title = fmt::format("{}({})", title, unit),
            .width = width,
            .right = true,
            .key = key,
            .value = [=](const Row &row) { return Cell(uint64_t(ns(row))); },
            .shown = [=](const Row &row) { return Cell(double(ns(row)) / shown_ns, digits); }};
    };
    auto errors = [](const Row &row) { return row.errors; };
    output::Rows<Row> table(
        writer,
        {{.key = "time_ns", .value = [=](const Row &) { return now_ns; }},
         {.title = "COUNT",
          .width = 9,
          .right = true,
          .key = "count",
          .value = [](const Row &row) { return row.latency.count(); }},
         time("TOTAL", "total_ns", 12,
              [](const Histogram &times) { return uint64_t(times.sum()); }),
         time("AVG", "avg_ns", 10, [](const Histogram &times) { return times.average(); }),
         time("P50", "p50_ns", 10, [](const Histogram &times) { return times.percentile(500); }),
         time("P99", "p99_ns", 10, [](const Histogram &times) { return times.percentile(990); }),
         time("MAX", "max_ns", 10, [](const Histogram &times) { return times.max(); }),
         {.title = style.errors ? "ERRORS" : "",
          .width = 7,
          .right = true,
          .key = style.errors ? "errors" : "",
          .value = errors},
         {.title = style.tags ? "TAG" : "",
          .width = 15,
          .key = style.tags ? "tag" : "",
          .value = [](const Row &row) { return Cell::when(!row.tag.empty(), row.tag); },
          .shown =
              [](const Row &row) { return row.tag.empty() ? Cell("-") : Cell::safe(row.tag); }},
         {.title = style.title,
          .key = lower_case(style.title),
          .value = [](const Row &row) { return Cell(row.text); }}},
        style.json);
    if (!style.full)
        table.cut_lines();
    table.header();
    for (const Row &row : rows)
        table.add(row);
}

}  // namespace uscope::db
