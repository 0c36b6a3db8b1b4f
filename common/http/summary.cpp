#include "http/summary.h"

#include <algorithm>

#include "base/text.h"

namespace uscope::http {
namespace {

bool is_all_of(std::string_view text, std::string_view characters)
{
    return text.find_first_not_of(characters) == text.npos;
}

// A number, a date, a UUID, a hash; of other alphabets only what is too long for a word. ("v2",
// "e2e" and "b2b" are words.)
bool is_id(std::string_view part)
{
    constexpr size_t shortest_hash = 4, shortest_other = 20;
    constexpr std::ptrdiff_t fewest_digits = 3;
    auto digits =
        std::count_if(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits == 0)
        return false;
    if (is_all_of(part, "0123456789-"))
        return true;
    if (part.size() >= shortest_hash && is_all_of(part, "0123456789abcdefABCDEF-"))
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
    Row &row = rows_[request.host + path_template(request.path)];
    uint64_t microseconds = request.latency_ns / 1000;
    row.count++;
    row.errors += !request.error.empty() || request.status.value_or(0) >= 500;
    row.microseconds.add(histogram_slot_of(microseconds), {1, microseconds, microseconds});
}

void Summary::print(output::Writer &writer, bool json) const
{
    output::Table table(writer,
                        {{"COUNT", 8, output::right},
                         {"ERRORS", 8, output::right},
                         {"P50_MS", 10, output::right},
                         {"P99_MS", 10, output::right},
                         {"URL"}},
                        json);
    table.header();
    for (const auto &[url, row] : rows_) {
        table.row({row.count, row.errors, row.microseconds.percentile(500) / 1e3,
                   row.microseconds.percentile(990) / 1e3, url});
    }
}

}  // namespace uscope::http
