// Cuts a text around a caret.
#include "output/caret.h"

#include <algorithm>

#include "base/format.h"
#include "output/columns.h"
#include "output/escape.h"

namespace uscope::output {
namespace {

constexpr size_t max_columns = 100;         // for a text with a caret
constexpr size_t max_message_bytes = 1000;  // for an error: some contain paths
constexpr std::string_view gap = "...";

bool continues_character(char byte)
{
    return (byte & 0xc0) == 0x80;
}

size_t character_start(std::string_view text, size_t at)
{
    while (at > 0 && at < text.size() && continues_character(text[at]))
        at--;
    return at;
}

size_t character_end(std::string_view text, size_t at)
{
    while (++at < text.size() && continues_character(text[at])) {
    }
    return at;
}

}  // namespace

std::string show_caret(std::string_view text, size_t column)
{
    size_t caret = character_start(text, std::min(column, text.size()));
    size_t begin = caret, end = caret, width = 0;
    auto take = [&](size_t from, size_t to, size_t max) {
        size_t wider = width + columns(escaped(text.substr(from, to - from)));
        if (wider > max)
            return false;
        width = wider;
        begin = std::min(begin, from);
        end = std::max(end, to);
        return true;
    };
    auto take_before = [&](size_t max) {
        while (begin > 0 && take(character_start(text, begin - 1), begin, max)) {
        }
    };
    take_before(max_columns * 2 / 3);
    while (end < text.size() && take(end, character_end(text, end), max_columns)) {
    }
    take_before(max_columns);

    std::string before(begin > 0 ? gap : "");
    before += escaped(text.substr(begin, caret - begin));
    std::string after = escaped(text.substr(caret, end - caret));
    return fmt::format("  {}{}{}\n  {:>{}}\n", before, after, end < text.size() ? gap : "", "^",
                       columns(before) + 1);
}

std::string shortened(std::string_view text)
{
    if (text.size() <= max_message_bytes)
        return escaped(text);
    size_t from = character_start(text, max_message_bytes * 2 / 3);
    size_t to = character_start(text, text.size() - max_message_bytes / 3);
    return fmt::format("{}{}{}", escaped(text.substr(0, from)), gap, escaped(text.substr(to)));
}

}  // namespace uscope::output
