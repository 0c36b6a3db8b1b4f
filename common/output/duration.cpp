// Rounds durations to three digits.
#include "output/duration.h"

#include "output/cell.h"
#include "output/escape.h"

namespace uscope::output {
namespace {

std::string with_unit(double number, int digits, const char *unit)
{
    std::string text;
    append_text(text, Cell(number, digits));
    append(text, unit);
    return text;
}

}  // namespace

std::string duration_text(uint64_t ns)
{
    if (ns < 1000)
        return with_unit(double(ns), 0, "ns");
    double number = double(ns) / 1e3;
    const char *unit = "us";
    for (const char *larger : {"ms", "s"}) {
        if (number < 999.5)
            break;
        number /= 1e3;
        unit = larger;
    }
    return with_unit(number, number < 9.995 ? 2 : number < 99.95 ? 1 : 0, unit);
}

std::string milliseconds_text(uint64_t ns)
{
    return with_unit(double(ns) / 1e6, 2, "ms");
}

}  // namespace uscope::output
