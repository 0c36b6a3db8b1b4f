// Prints cells as text, as JSON and as CSV.
#include "output/cell.h"

#include <cmath>

#include "base/format.h"
#include "output/escape.h"

namespace uscope::output {
namespace {

// Most rows start with a time. Numbers that fit in an integer avoid the 100 ns of {fmt}'s
// algorithm.
void append_real(std::string &out, double value, int precision)
{
    constexpr uint64_t powers[] = {1, 10, 100, 1000, 10'000, 100'000, 1'000'000};
    if (precision < 1 || precision > 6 || !(std::fabs(value) < 1e9)) {
        append_format(out, "{:.{}f}", value, precision);
        return;
    }
    uint64_t scaled = std::llround(std::fabs(value) * powers[precision]);
    if (value < 0 && scaled)
        out.push_back('-');
    append_decimal(out, scaled / powers[precision]);
    size_t point = out.size();
    append_decimal(out, scaled % powers[precision] + powers[precision]);  // '1' and the digits
    out[point] = '.';                                                     // replaces the '1'
}

void append_number(std::string &out, const Cell &cell)
{
    switch (cell.kind) {
    case Cell::Kind::Signed:
        return append_decimal(out, cell.integer());
    case Cell::Kind::Unsigned:
        return append_decimal(out, uint64_t(cell.integer()));
    case Cell::Kind::Real:
        return append_real(out, cell.real(), cell.precision);
    default:
        return;
    }
}

std::string_view as_word(const Cell &cell)
{
    return cell.integer() ? "true" : "false";
}

}  // namespace

bool append_text(std::string &out, const Cell &cell, bool raw)
{
    switch (cell.kind) {
    case Cell::Kind::Text:
        return append_escaped(out, cell.text(), raw);
    case Cell::Kind::SafeText:
    case Cell::Kind::Json:
        append(out, cell.text());
        return false;
    case Cell::Kind::Bool:
        append(out, as_word(cell));
        return true;
    default:
        append_number(out, cell);
        return true;
    }
}

void append_csv(std::string &out, const Cell &cell)
{
    size_t start = out.size();
    append_text(out, cell);
    std::string_view text(out.data() + start, out.size() - start);
    bool needs_quotes =
        text.find_first_of("\",\r\n") != text.npos || text.starts_with(' ') || text.ends_with(' ');
    if (!needs_quotes)
        return;
    std::string quoted = "\"";
    for (char c : text) {
        if (c == '"')
            quoted.push_back('"');
        quoted.push_back(c);
    }
    quoted.push_back('"');
    out.replace(start, std::string::npos, quoted);
}

void append_json(std::string &out, const Cell &cell)
{
    switch (cell.kind) {
    case Cell::Kind::Text:
    case Cell::Kind::SafeText:
        return append_json_string(out, cell.text());
    case Cell::Kind::Json:
        return append(out, cell.text());
    case Cell::Kind::Bool:
        return append(out, as_word(cell));
    case Cell::Kind::None:
        return append(out, "null");
    default:
        if (cell.kind == Cell::Kind::Real && !std::isfinite(cell.real()))
            return append(out, "null");
        return append_number(out, cell);
    }
}

}  // namespace uscope::output
