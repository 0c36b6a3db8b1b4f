// Makes path templates, and prints the table of --summary.
#include "wire/summary.h"

#include <algorithm>

#include "base/text.h"
#include "output/clock.h"

namespace uscope::wire {
namespace {

bool is_all_of(std::string_view text, std::string_view characters)
{
    return text.find_first_not_of(characters) == text.npos;
}

// Is it a number, a date, a UUID or a hash? Other letters and digits count as an id only if the
// part is too long for a word. ("v2", "e2e", "b2b" and "e503" are words.)
bool is_id(std::string_view part)
{
    constexpr size_t shortest_hash = 8, shortest_hash_with_digit_first = 4, shortest_other = 20;
    constexpr std::ptrdiff_t fewest_digits = 3;
    auto digits =
        std::count_if(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits == 0)
        return false;
    if (is_all_of(part, "0123456789-"))
        return true;
    size_t shortest = isdigit(static_cast<unsigned char>(part[0])) ? shortest_hash_with_digit_first
                                                                   : shortest_hash;
    if (part.size() >= shortest && is_all_of(part, "0123456789abcdefABCDEF-"))
        return true;
    return part.size() >= shortest_other && digits >= fewest_digits &&
           std::all_of(part.begin(), part.end(), [](unsigned char c) { return isalnum(c) != 0; });
}

}  // namespace

std::string path_template(std::string_view path)
{
    std::string result;
    bool is_first = true;
    for (std::string_view part : split(path, '/')) {
        if (!is_first)
            result += '/';
        is_first = false;
        size_t end = std::min(part.rfind('.'), part.size());  // "181.json"
        if (is_id(part.substr(0, end)))
            result.append("*").append(part.substr(end));
        else
            result += part;
    }
    return result;
}

void Summary::add(const Request &request)
{
    Counts &row = counts_[request.host + path_template(request.path)];
    uint64_t microseconds = request.latency_ns / 1000;
    row.count++;
    row.errors += !request.error.empty() || request.status.value_or(0) >= 500;
    row.microseconds.add(histogram_slot_of(microseconds), {1, microseconds, microseconds});
}

void Summary::print(output::Writer &writer, bool json, bool full) const
{
    using Row = std::pair<const std::string, Counts>;
    using Field = output::Field<Row>;
    using output::right;
    auto counts = output::members_of(&Row::second);
    auto percentile = [](unsigned permille) {
        return [=](const Row &row) { return row.second.microseconds.percentile(permille) * 1000; };
    };
    output::Rows<Row> rows(writer,
                           {{"time_ns", output::always(output::Clock::now_unix_ns())},
                            {"COUNT", right(8), "count", counts(&Counts::count)},
                            {"ERRORS", right(8), "errors", counts(&Counts::errors)},
                            Field::duration("P50", "p50_ns", percentile(500)),
                            Field::duration("P99", "p99_ns", percentile(990)),
                            {"URL", output::rest, "url", &Row::first}},
                           json);
    if (!full)
        rows.cut_lines();
    rows.header();
    for (const auto &row : counts_)
        rows.add(row);
}

}  // namespace uscope::wire
