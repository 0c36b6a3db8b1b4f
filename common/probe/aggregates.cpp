// Chooses the columns of sums, and formats them.
#include "probe/aggregates.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "bpf/lib/sums.h"
#include "output/escape.h"
#include "output/rank.h"

namespace uscope::probe {
namespace {

using Total = kernel::Sum::Total;

std::string average_text(const kernel::Sum &sum, uint64_t count)
{
    return fmt::format("{:.1f}", double(sum.total) / double(count));
}

std::string percent_text(Total part, Total whole)
{
    return whole > 0 ? fmt::format("{:.1f}", 100 * double(part) / double(whole)) : "-";
}

Row total_of(const Rows &rows, size_t expressions)
{
    Row total;
    total.sums.resize(expressions);
    for (const auto &[key, row] : rows) {
        total.count += row.count;
        for (size_t i = 0; i < row.sums.size(); i++)
            total.sums[i].merge(row.sums[i]);
    }
    return total;
}

}  // namespace

void Aggregates::declare(run::Tool &tool)
{
    tool.option(0, "sum", sums_, "EXPR", "also add up an expression for each count; repeatable");
    tool.option(0, "avg", averages_, "EXPR", "also show its average");
    tool.option(0, "min-of", minima_, "EXPR", "also show its least value");
    tool.option(0, "max-of", maxima_, "EXPR", "also show its greatest value");
    tool.option(0, "stats-of", stats_, "EXPR", "all of these");
    tool.option(0, "sort", sort_, "COLUMN",
                "sort counts by count, key, sum, avg, min or max (default: the first of these "
                "options, else count)");
    tool.flag(0, "percent", percent_, "show what percentage of all counts and sums a row has");
}

size_t Aggregates::index_of(const std::string &expression)
{
    auto known = std::find(expressions_.begin(), expressions_.end(), expression);
    if (known == expressions_.end())
        known = expressions_.insert(known, expression);
    return known - expressions_.begin();
}

void Aggregates::add_columns(const std::vector<std::string> &expressions, std::vector<Kind> kinds)
{
    for (const std::string &expression : expressions) {
        size_t index = index_of(expression);
        for (Kind kind : kinds) {
            bool is_there = std::any_of(columns_.begin(), columns_.end(), [&](const Column &other) {
                return other.kind == kind && other.expression == index;
            });
            if (!is_there)
                columns_.push_back({kind, index});
        }
    }
}

Result<> Aggregates::check(bool counts)
{
    add_columns(sums_, {Kind::Sum});
    add_columns(averages_, {Kind::Average});
    add_columns(minima_, {Kind::Min});
    add_columns(maxima_, {Kind::Max});
    add_columns(stats_, {Kind::Sum, Kind::Average, Kind::Min, Kind::Max});
    // The columns of one expression stand together.
    std::stable_sort(columns_.begin() + 1, columns_.end(),
                     [](const Column &a, const Column &b) { return a.expression < b.expression; });
    if (!counts && (any() || percent_ || !sort_.empty()))
        return fail_usage("{} is for counts: add a -C",
                          any()      ? "--sum, --avg, --min-of, --max-of or --stats-of"
                          : percent_ ? "--percent"
                                     : "--sort");
    if (expressions_.size() > SUMS_MAX)
        return fail_usage("at most {} different expressions can be added up: {} are too many",
                          int(SUMS_MAX), expressions_.size());
    for (const std::string &expression : expressions_)
        TRY(expr::parse(expression));
    TRY(choose_order());
    if (!percent_)
        return {};
    std::vector<Column> with_percentages;
    for (const Column &column : columns_) {
        with_percentages.push_back(column);
        if (column.kind == Kind::Count || column.kind == Kind::Sum)
            with_percentages.push_back({Kind::Percent, column.expression});
    }
    columns_ = std::move(with_percentages);
    return {};
}

Result<> Aggregates::choose_order()
{
    if (sort_.empty() || sort_ == "key") {
        order_ = sort_.empty() ? columns_[any()] : Column{Kind::Key};
        return {};
    }
    std::vector<std::string> names;
    for (const Column &column : columns_) {
        std::string name = title(column);
        std::string short_name = lower_case(name.substr(0, name.find('(')));
        order_ = column;
        if (sort_ == name || sort_ == short_name)
            return {};
        names.push_back(short_name);
    }
    return fail_usage("--sort: there is no column \"{}\"; use key, {}", sort_, join(names, ", "));
}

bool Aggregates::has_extremes() const
{
    return std::any_of(columns_.begin(), columns_.end(), [](const Column &column) {
        return column.kind == Kind::Min || column.kind == Kind::Max;
    });
}

Result<> Aggregates::add_to(ProbeRequest &probe) const
{
    for (const std::string &expression : expressions_)
        probe.addends.push_back({TRY(expr::parse(expression)), expression});
    return {};
}

Aggregates::Order Aggregates::ranked(const Rows &rows, std::optional<uint64_t> top) const
{
    auto rank = [this](const Row &row) -> Total {
        if (order_.kind == Kind::Key)
            return 0;
        if (order_.kind == Kind::Count || order_.expression >= row.sums.size())
            return row.count;
        const kernel::Sum &sum = row.sums[order_.expression];
        switch (order_.kind) {
        case Kind::Average:
            return sum.total * 1024 / Total(row.count);
        case Kind::Min:
            return sum.min;
        case Kind::Max:
            return sum.max;
        default:
            return sum.total;
        }
    };
    return output::ranked(rows, rank, top);
}

std::string Aggregates::title(const Column &column) const
{
    constexpr const char *names[] = {"KEY", "COUNT", "SUM", "AVG", "MIN", "MAX", "%"};
    std::string name = names[int(column.kind)];
    if (column.kind == Kind::Count || column.kind == Kind::Percent)
        return name;
    return fmt::format("{}({})", name, output::escaped(expressions_[column.expression]));
}

std::string Aggregates::text(const Column &column, const Row &row, const Row &total) const
{
    if (column.kind == Kind::Count)
        return fmt::format("{}", row.count);
    const kernel::Sum &sum = row.sums[column.expression];
    switch (column.kind) {
    case Kind::Average:
        return average_text(sum, row.count);
    case Kind::Min:
        return sum.has_extremes() ? fmt::format("{}", sum.min) : "-";
    case Kind::Max:
        return sum.has_extremes() ? fmt::format("{}", sum.max) : "-";
    case Kind::Percent:
        return percent_text(sum.total, total.sums[column.expression].total);
    default:
        return fmt::format("{}", sum.total);
    }
}

std::vector<std::string> Aggregates::lines(const Order &order, const Rows &all) const
{
    constexpr size_t least_width = 10, least_percent = 5;
    Row total = total_of(all, expressions_.size());
    std::vector<std::string> lines(order.size() + 1);
    for (size_t c = 0; c < columns_.size(); c++) {
        const Column &column = columns_[c];
        bool is_percent = column.kind == Kind::Percent;
        bool of_count = is_percent && columns_[c - 1].kind == Kind::Count;
        std::vector<std::string> cells = {title(column)};
        for (auto *entry : order) {
            const Row &row = entry->second;
            cells.push_back(of_count ? percent_text(row.count, total.count)
                                     : text(column, row, total));
        }
        size_t width = is_percent ? least_percent : least_width;
        for (const std::string &cell : cells)
            width = std::max(width, cell.size());
        for (size_t i = 0; i < cells.size(); i++)
            append_format(lines[i], "{:<{}} ", cells[i], width);
    }
    return lines;
}

std::string Aggregates::json(const Row &row) const
{
    std::string out = "[";
    for (size_t i = 0; i < row.sums.size(); i++) {
        const kernel::Sum &sum = row.sums[i];
        out += i ? "," : "";
        output::JsonObject one(out);
        one.add("expression", expressions_[i])
            .add("sum", output::Cell::json(fmt::format("{}", sum.total)))
            .add("avg", output::Cell::json(average_text(sum, row.count)));
        if (sum.has_extremes())
            one.add("min", sum.min).add("max", sum.max);
        one.end();
    }
    out.push_back(']');
    return out;
}

}  // namespace uscope::probe
