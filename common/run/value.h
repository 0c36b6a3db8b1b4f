// Converts the text of an option's value into numbers, times, sizes and lists.
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

// A time: "250us", "1.5ms", "2s", "5m", "1h". A number without a unit counts in units of `unit_ns`.
struct Duration {
    uint64_t &ns;
    uint64_t unit_ns;
};

struct InRange {  // a bounded number
    unsigned &value;
    unsigned least, max;
};

struct BytesInRange {  // a bounded size
    unsigned &value;
    unsigned least, max;
};

// Texts that are separated by commas, and are added to `values`. A comma in a text is written "\,".
struct List {
    std::vector<std::string> &values;
};

// The value of a filter that takes only one. A second, different value is an error, because it
// would silently replace the first one.
template <class T>
struct OnlyOne {
    T &value;
};
template <class T>
OnlyOne(T &) -> OnlyOne<T>;
template <class T>
constexpr bool is_only_one = false;
template <class T>
constexpr bool is_only_one<OnlyOne<T>> = true;

template <class T>
concept RefersToValue = std::is_same_v<T, Duration> || std::is_same_v<T, InRange> ||
    std::is_same_v<T, BytesInRange> || std::is_same_v<T, List> || is_only_one<T>;

// Each of these converts the text of an option's value. Errors say what was expected.
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
template <class T>
Result<> parse_value(std::string_view text, OnlyOne<T> only)
{
    return parse_value(text, only.value);
}

// Returns, in nanoseconds, the time that the user gave for an option; 0 for "". This is for options
// such as --min, whose default unit depends on another option: `unit_ns`. Errors name the option.
Result<uint64_t> parse_time(std::string_view option, const std::string &text, uint64_t unit_ns);

}  // namespace uscope::run
