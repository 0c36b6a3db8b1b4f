// Scans JSON from token to token, without a tree. It accepts more than JSON: a misplaced comma or
// number does not matter to what the texts say.
#include "base/json_strings.h"

#include <optional>
#include <vector>

#include "base/text.h"

namespace uscope {
namespace {

class Scanner {
  public:
    Scanner(std::string_view json, const std::function<bool(const JsonString &)> &visit)
        : rest_(json), visit_(visit)
    {
    }

    void run()
    {
        while (!rest_.empty() && token()) {
        }
    }

  private:
    static constexpr size_t max_depth = 64;

    bool token();
    bool text();
    bool escape(std::string &value);
    std::optional<uint32_t> code_unit();

    std::string_view rest_;
    const std::function<bool(const JsonString &)> &visit_;
    // For each object and array around the position: whether it is an object, and the key.
    struct Level {
        bool is_object;
        std::string key;
    };
    std::vector<Level> levels_;
};

// Returns false at the end and at errors.
bool Scanner::token()
{
    char c = rest_[0];
    if (c == '"')
        return text();
    rest_.remove_prefix(1);
    if (c == '{' || c == '[') {
        std::string key = levels_.empty() ? "" : levels_.back().key;
        levels_.push_back({c == '{', std::move(key)});
        return levels_.size() <= max_depth;
    }
    if (c == '}' || c == ']') {
        if (levels_.empty())
            return false;
        bool is_object = levels_.back().is_object;
        levels_.pop_back();
        return !is_object || visit_({levels_.size(), {}, {}, true});
    }
    return true;
}

bool Scanner::text()
{
    std::string value;
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_[0] != '"') {
        char c = rest_[0];
        rest_.remove_prefix(1);
        if (c != '\\')
            value.push_back(c);
        else if (!escape(value))
            return false;
    }
    if (rest_.empty() || levels_.empty())
        return false;
    rest_.remove_prefix(1);
    size_t next = rest_.find_first_not_of(" \t\r\n");
    if (levels_.back().is_object && next != rest_.npos && rest_[next] == ':') {
        levels_.back().key = std::move(value);
        return true;
    }
    return visit_({levels_.size(), levels_.back().key, std::move(value)});
}

// Reads the rest of an escape sequence; its backslash has been read.
bool Scanner::escape(std::string &value)
{
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    if (rest_.empty())
        return false;
    char c = rest_[0];
    rest_.remove_prefix(1);
    if (size_t at = letters.find(c); at != letters.npos) {
        value.push_back(meanings[at]);
        return true;
    }
    auto unit = c == 'u' ? code_unit() : std::nullopt;
    if (!unit)
        return false;
    uint32_t character = *unit;
    if (character >= 0xd800 && character < 0xdc00 && rest_.starts_with("\\u")) {
        rest_.remove_prefix(2);
        auto second = code_unit();
        if (!second)
            return false;
        character = 0x10000 + ((character - 0xd800) << 10) + ((*second - 0xdc00) & 0x3ff);
    }
    append_utf8(value, character);
    return true;
}

std::optional<uint32_t> Scanner::code_unit()
{
    constexpr std::string_view digits = "0123456789abcdef";
    uint32_t value = 0;
    if (rest_.size() < 4)
        return std::nullopt;
    for (char c : lower_case(rest_.substr(0, 4))) {
        size_t digit = digits.find(c);
        if (digit == digits.npos)
            return std::nullopt;
        value = value << 4 | uint32_t(digit);
    }
    rest_.remove_prefix(4);
    return value;
}

}  // namespace

void visit_json_strings(std::string_view json, const std::function<bool(const JsonString &)> &visit)
{
    Scanner(json, visit).run();
}

}  // namespace uscope
