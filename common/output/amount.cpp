// Chooses units by the size of an amount.
#include "output/amount.h"

#include "base/format.h"
#include "output/duration.h"

namespace uscope::output {
namespace {

std::string with_separators(uint64_t number)
{
    std::string digits = std::to_string(number);
    for (size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

std::string time_text(uint64_t ns)
{
    std::string text = duration_text(ns);
    text.insert(text.find_first_not_of("0123456789."), 1, ' ');
    return text;
}

std::string bytes_text(uint64_t bytes)
{
    double number = double(bytes) / 1024;
    const char *unit = "KiB";
    for (const char *larger : {"MiB", "GiB", "TiB"}) {
        if (number < 1023.5)
            break;
        number /= 1024;
        unit = larger;
    }
    return fmt::format("{:.{}f} {}", number, number < 9.995 ? 2 : number < 99.95 ? 1 : 0, unit);
}

}  // namespace

uint64_t nanoseconds_of(std::string_view unit)
{
    if (unit == "ns" || unit == "nsecs")
        return 1;
    if (unit == "us" || unit == "usecs")
        return 1000;
    return unit == "ms" || unit == "msecs" ? 1'000'000 : 0;
}

std::string amount_text(uint64_t amount, std::string_view unit)
{
    constexpr uint64_t many_bytes = 100'000;
    if (uint64_t ns = nanoseconds_of(unit))
        return time_text(amount > UINT64_MAX / ns ? UINT64_MAX : amount * ns);
    if (unit == "bytes" && amount >= many_bytes)
        return bytes_text(amount);
    std::string text = with_separators(amount);
    if (unit.empty())
        return text;
    append_format(text, " {}", unit);
    if (amount == 1 && text.ends_with('s'))
        text.pop_back();
    return text;
}

}  // namespace uscope::output
