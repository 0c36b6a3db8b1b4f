// Parses the values of options.
#include "run/value.h"

#include <cstdlib>

#include "base/format.h"
#include "base/text.h"

namespace uscope::run {
namespace {

// Parses a number from 0 to 10^15, which may have a fraction.
std::optional<double> parse_decimal(std::string_view text)
{
    std::string copy(text);
    char *end = nullptr;
    double number = strtod(copy.c_str(), &end);
    if (copy.empty() || *end || !(number >= 0) || number > 1e15)
        return {};
    return number;
}

}  // namespace

// Refuses an empty value: usually, it means that a variable in a script was not set.
Result<> parse_value(std::string_view text, std::string &value)
{
    if (text.empty())
        return fail_usage("the value is empty");
    value = text;
    return {};
}

Result<> parse_value(std::string_view text, uint64_t &value)
{
    auto number = parse_number(text);
    if (!number)
        return fail_usage("\"{}\" is not a number", text);
    value = *number;
    return {};
}

Result<> parse_value(std::string_view text, unsigned &value)
{
    auto number = parse_number(text);
    if (!number || *number > UINT32_MAX)
        return fail_usage("\"{}\" is not a number from 0 to {}", text, UINT32_MAX);
    value = *number;
    return {};
}

Result<> parse_value(std::string_view text, InRange range)
{
    auto number = parse_number(text);
    if (!number || *number < range.least || *number > range.max)
        return fail_usage("\"{}\" is not a number from {} to {}", text, range.least, range.max);
    range.value = *number;
    return {};
}

Result<> parse_value(std::string_view text, BytesInRange range)
{
    ByteSize size;
    if (!parse_value(text, size) || size.bytes < range.least || size.bytes > range.max)
        return fail_usage("\"{}\" is not a number from {} to {}", text, range.least, range.max);
    range.value = size.bytes;
    return {};
}

Result<> parse_value(std::string_view text, Duration duration)
{
    constexpr std::pair<std::string_view, double> units[] = {
        {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
    constexpr double longest_ns = 1e18;
    double unit_ns = duration.unit_ns;
    std::string_view digits = text;
    for (const auto &[name, ns] : units) {  // the longer names first
        if (text.ends_with(name)) {
            unit_ns = ns;
            digits.remove_suffix(name.size());
            break;
        }
    }
    auto number = parse_decimal(digits);
    if (!number || *number * unit_ns > longest_ns)
        return fail_usage("\"{}\" is not a time (250us, 1.5ms, 2s)", text);
    duration.ns = *number * unit_ns;
    return {};
}

Result<> parse_value(std::string_view text, double &seconds)
{
    uint64_t ns = 0;
    TRY(parse_value(text, Duration{ns, 1'000'000'000}));
    seconds = ns / 1e9;
    return {};
}

Result<> parse_value(std::string_view text, pid_t &value)
{
    auto number = parse_number(text);
    if (!number || *number == 0 || *number > INT32_MAX)
        return fail_usage("\"{}\" is not a process or thread id", text);
    value = *number;
    return {};
}

Result<> parse_value(std::string_view text, ByteSize &value)
{
    static const std::string_view units = "KMG";
    std::string_view digits = text;
    unsigned shift = 0;
    if (!digits.empty() && units.find(digits.back()) != units.npos) {
        shift = 10 * (units.find(digits.back()) + 1);
        digits.remove_suffix(1);
    }
    auto number = parse_number(digits);
    if (!number || *number > UINT64_MAX >> shift)
        return fail_usage("\"{}\" is not a size (65536, 512K, 4M)", text);
    value.bytes = *number << shift;
    return {};
}

Result<> parse_value(std::string_view text, List list)
{
    std::string part;
    for (size_t i = 0; i <= text.size(); i++) {
        if (i == text.size() || text[i] == ',') {
            TRY(parse_value(part, list.values.emplace_back()));
            part.clear();
        } else {
            i += text.substr(i).starts_with("\\,");
            part.push_back(text[i]);
        }
    }
    return {};
}

Result<> parse_value(std::string_view text, std::vector<pid_t> &values)
{
    for (std::string_view part : split(text, ','))
        TRY(parse_value(part, values.emplace_back()));
    return {};
}

Result<uint64_t> parse_time(std::string_view option, const std::string &text, uint64_t unit_ns)
{
    uint64_t ns = 0;
    if (text.empty())
        return ns;
    if (auto parsed = parse_value(text, Duration{ns, unit_ns}); !parsed)
        return fail_usage("{}: {}", option, parsed.error().text);
    return ns;
}

}  // namespace uscope::run
