// Counts statements by digest, and prints the table of --digest.
#include "db/digests.h"

#include <algorithm>

#include "base/format.h"
#include "base/named.h"
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

namespace {

constexpr Named<DigestOrder> digest_orders[] = {{"total", DigestOrder::Total},
                                                {"count", DigestOrder::Count},
                                                {"avg", DigestOrder::Average},
                                                {"p99", DigestOrder::P99},
                                                {"max", DigestOrder::Max}};

}  // namespace

std::vector<std::string> digest_order_names()
{
    return names_of(digest_orders);
}

std::optional<DigestOrder> parse_digest_order(std::string_view name)
{
    return find_named(digest_orders, name);
}

void Digests::add(const std::string &digest, uint64_t latency, bool is_error,
                  const std::string &tag)
{
    std::string key = tag.empty() ? digest : digest + '\0' + tag;
    auto found = rows_.find(key);
    if (found == rows_.end()) {
        bool is_other = rows_.size() >= max_;
        found = rows_.try_emplace(is_other ? other_text : key).first;
        found->second.text = is_other ? other_text : digest;
        found->second.tag = is_other ? "" : tag;
    }
    found->second.errors += is_error;
    found->second.latency.add(histogram_slot_of(latency), {1, latency, latency});
}

std::vector<Digests::Row> Digests::take(DigestOrder order)
{
    std::vector<Row> rows = all(order);
    rows_.clear();
    return rows;
}

std::vector<Digests::Row> Digests::all(DigestOrder order) const
{
    std::vector<Row> rows;
    for (const auto &[text, row] : rows_)
        rows.push_back(row);
    std::stable_sort(rows.begin(), rows.end(), [order](const Row &a, const Row &b) {
        return rank(a, order) > rank(b, order);
    });
    return rows;
}

void print_digests(output::Writer &writer, const std::vector<Digests::Row> &rows,
                   const DigestStyle &style)
{
    using Field = output::Field<Digests::Row>;
    using output::Cell, output::Histogram, output::right, output::rest;
    auto latency = output::members_of(&Digests::Row::latency);
    auto time = [unit_ns = style.unit_ns](const char *title, const char *key, auto get) {
        return Field::duration(title, key, [=](auto &row) { return uint64_t(get(row)) * unit_ns; });
    };
    auto percentile = [](unsigned permille) {
        return [=](auto &row) { return row.latency.percentile(permille); };
    };
    auto tag = [](const Digests::Row &row) {
        return row.tag.empty() ? Cell("-") : Cell::safe(row.tag);
    };
    output::Rows<Digests::Row> table(
        writer,
        {{"time_ns", output::always(output::Clock::now_unix_ns())},
         {"COUNT", right(9), "count", latency(&Histogram::count)},
         time("TOTAL", "total_ns", latency(&Histogram::sum)),
         time("AVG", "avg_ns", latency(&Histogram::average)).gives_way(1),
         time("P50", "p50_ns", percentile(500)).gives_way(2),
         time("P99", "p99_ns", percentile(990)),
         time("MAX", "max_ns", latency(&Histogram::max)),
         Field("ERRORS", right(7), "errors", &Digests::Row::errors).only_if(style.errors),
         Field("TAG", 15, "tag", output::if_any(&Digests::Row::tag), tag).only_if(style.tags),
         {style.title, rest, lower_case(style.title), &Digests::Row::text}},
        style.json);
    if (!style.full)
        table.cut_lines();
    table.header();
    for (const Digests::Row &row : rows)
        table.add(row);
}

}  // namespace uscope::db
