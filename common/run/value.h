// The values of options: text of the command line becomes numbers, times, sizes and lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace uscope::run {

struct ByteSize {  // "65536", "512K", "4M"
    uint64_t bytes = 0;
};

// A time: "250us", "1.5ms", "2s", "5m", "1h"; a number alone is in `unit_ns`.
struct Duration {
    uint64_t &ns;
    uint64_t unit_ns;
};

struct InRange {  // a bounded number
    unsigned &value;
    unsigned least, most;
};

struct BytesInRange {  // a bounded size
    unsigned &value;
    unsigned least, most;
};

struct List {  // texts that commas separate, added to `values`; "\," is a comma in a text
    std::vector<std::string> &values;
};

template <class T>
concept RefersToValue = std::is_same_v<T, Duration> || std::is_same_v<T, InRange> ||
    std::is_same_v<T, BytesInRange> || std::is_same_v<T, List>;

// Converts the text of an option's argument to its value. Errors say what was expected.
Result<> parse_value(std::string_view text, std::string &value);
Result<> parse_value(std::string_view text, unsigned &value);
Result<> parse_value(std::string_view text, uint64_t &value);
Result<> parse_value(std::string_view text, InRange range);
Result<> parse_value(std::string_view text, BytesInRange range);
Result<> parse_value(std::string_view text, Duration duration);
Result<> parse_value(std::string_view text, double &seconds);  // a time, by default in seconds
Result<> parse_value(std::string_view text, pid_t &value);     // at least 1
Result<> parse_value(std::string_view text, ByteSize &value);
Result<> parse_value(std::string_view text, List list);
Result<> parse_value(std::string_view text, std::vector<pid_t> &values);  // "181,182"
template <class T>
Result<> parse_value(std::string_view text, std::optional<T> &value)
{
    return parse_value(text, value.emplace());
}

template <class T>  // an option that may be given several times
Result<> parse_value(std::string_view text, std::vector<T> &values)
{
    return parse_value(text, values.emplace_back());
}
// Do the values of an option add up, if it is given several times?
template <class T>
constexpr bool is_list = std::is_same_v<T, List>;
template <class T>
constexpr bool is_list<std::vector<T>> = true;

// The time, in nanoseconds, of an option such as --min whose default unit another option sets; "":
// 0. Errors name the option.
Result<uint64_t> parse_time(std::string_view option, const std::string &text, uint64_t unit_ns);

}  // namespace uscope::run
