// Matches shell patterns, searches for similar names, splits command lines, encodes UTF-8.
#include "base/text.h"

#include "base/named.h"

#include <algorithm>
#include <charconv>

namespace uscope {
namespace {

constexpr std::string_view white_space = " \t\r\n\v\f";

struct SetMatch {
    bool matches;
    size_t length;  // bytes of "[...]" in the pattern
};

// Is `c` in the set "[...]" at the start of `pattern`? Returns nullopt if the closing ']' is
// missing: '[' is then an ordinary character.
std::optional<SetMatch> match_set(std::string_view pattern, char c)
{
    size_t at = 1;
    bool inverted = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
    at += inverted;
    bool found = false;
    for (size_t first = at; at < pattern.size(); ++at) {
        if (pattern[at] == ']' && at != first)  // a ']' that comes first is a member
            return SetMatch{found != inverted, at + 1};
        unsigned char low = pattern[at], high = low;
        if (at + 2 < pattern.size() && pattern[at + 1] == '-' && pattern[at + 2] != ']') {
            high = pattern[at + 2];
            at += 2;
        }
        found |= low <= static_cast<unsigned char>(c) && static_cast<unsigned char>(c) <= high;
    }
    return std::nullopt;
}

// Returns how many bytes at the start of `pattern` match the character `c`; 0 if it does not match.
// `pattern` must not start with '*'.
size_t match_one(std::string_view pattern, char c)
{
    switch (pattern[0]) {
    case '?':
        return 1;
    case '[':
        if (auto set = match_set(pattern, c))
            return set->matches ? set->length : 0;
        return c == '[';
    case '\\':
        if (pattern.size() > 1)
            return pattern[1] == c ? 2 : 0;
        return c == '\\';
    default:
        return pattern[0] == c;
    }
}

// Returns the Levenshtein distance of `a` and `b`, or `limit` + 1 if it exceeds `limit`.
size_t edit_distance(std::string_view a, std::string_view b, size_t limit)
{
    if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit)
        return limit + 1;
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0], best = row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
            best = std::min(best, row[j]);
        }
        if (best > limit)
            return limit + 1;
    }
    return row[b.size()];
}

}  // namespace

std::string lower_case(std::string_view text)
{
    std::string lowered(text);
    for (char &c : lowered) {
        if (c >= 'A' && c <= 'Z')
            c += 'a' - 'A';
    }
    return lowered;
}

std::string_view trim(std::string_view text)
{
    size_t first = text.find_first_not_of(white_space);
    if (first == text.npos)
        return {};
    return text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    for (;;) {
        size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == text.npos)
            return parts;
        text.remove_prefix(end + 1);
    }
}

std::optional<uint64_t> parse_number(std::string_view text)
{
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        base = 16;
        text.remove_prefix(2);
    }
    uint64_t value = 0;
    const char *end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data(), end, value, base);
    if (error != std::errc() || stop != end)
        return std::nullopt;
    return value;
}

bool glob_match(std::string_view pattern, std::string_view text)
{
    // After a mismatch, only the last '*' needs to be retried, so the time is O(pattern * text).
    size_t p = 0, t = 0;
    size_t retry_pattern = pattern.npos, retry_text = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            retry_pattern = ++p;
            retry_text = t;
            continue;
        }
        if (size_t used = p < pattern.size() ? match_one(pattern.substr(p), text[t]) : 0) {
            p += used;
            ++t;
            continue;
        }
        if (retry_pattern == pattern.npos)
            return false;
        p = retry_pattern;
        t = ++retry_text;
    }
    return pattern.find_first_not_of('*', p) == pattern.npos;
}

bool contains_any(std::string_view text, const std::vector<std::string> &parts)
{
    return accepts_any(parts, [&](std::string_view part) { return text.find(part) != text.npos; });
}

bool is_glob(std::string_view text)
{
    return text.find_first_of("*?[") != text.npos;
}

std::vector<std::string> near_names(std::string_view wanted,
                                    const std::vector<std::string> &candidates, size_t max)
{
    if (wanted.empty())
        return {};
    std::string sought = lower_case(wanted);
    // A name is similar if its edit distance from `wanted` is at most a third of the length of
    // `wanted`, but at least 2 (1 if `wanted` has fewer than four letters). After these names come
    // those that contain `wanted`, or that `wanted` contains, closest in length first.
    size_t limit = sought.size() < 4 ? 1 : std::max<size_t>(2, sought.size() / 3);
    std::vector<std::pair<size_t, const std::string *>> near;
    for (const std::string &candidate : candidates) {
        std::string name = lower_case(candidate);
        size_t distance = edit_distance(sought, name, limit);
        if (distance > limit) {
            bool contains = sought.size() >= 3 && name.find(sought) != name.npos;
            bool is_contained = name.size() >= 3 && sought.find(name) != sought.npos;
            if (!contains && !is_contained)
                continue;
            distance += std::max(name.size(), sought.size()) - std::min(name.size(), sought.size());
        }
        near.emplace_back(distance, &candidate);
    }
    std::sort(near.begin(), near.end(), [](const auto &a, const auto &b) {
        return a.first != b.first ? a.first < b.first : *a.second < *b.second;
    });
    std::vector<std::string> names;
    for (auto [distance, name] : near) {
        if (names.size() == max)
            break;
        if (names.empty() || names.back() != *name)
            names.push_back(*name);
    }
    return names;
}

std::string alternatives(const std::vector<std::string> &names)
{
    std::string text;
    for (size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    return text;
}

std::string did_you_mean(const std::vector<std::string> &names)
{
    return names.empty() ? "" : ", did you mean " + alternatives(names) + "?";
}

Result<std::vector<std::string>> split_words(std::string_view text)
{
    std::vector<std::string> words;
    bool in_word = false;
    char quote = 0;
    for (size_t i = 0; i < text.size(); i++) {
        char c = text[i];
        if (!quote && is_blank(c)) {
            in_word = false;
            continue;
        }
        if (!in_word)
            words.emplace_back();
        in_word = true;
        if (quote ? c == quote : c == '\'' || c == '"')
            quote = quote ? 0 : c;
        else if (c == '\\' && quote != '\'' && i + 1 < text.size())
            words.back() += text[++i];
        else
            words.back() += c;
    }
    if (quote)
        return fail_usage("unclosed quote in: {}", text);
    if (words.empty() || words[0].empty())
        return fail_usage("the command is empty");
    return words;
}

void append_utf8(std::string &text, uint32_t character)
{
    if (character < 0x80) {
        text += char(character);
        return;
    }
    int continuations = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    constexpr uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
    text += char(first[continuations] | character >> (6 * continuations));
    while (continuations-- > 0)
        text += char(0x80 | (character >> (6 * continuations) & 0x3f));
}

}  // namespace uscope
