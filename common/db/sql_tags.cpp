// Finds and decodes the name='value' pairs of a statement's comments.
#include "db/sql_tags.h"

#include "base/format.h"
#include "base/text.h"

namespace uscope::db {
namespace {

// %2F is a slash; \' is a quote.
std::string decoded(std::string_view text)
{
    std::string result;
    for (size_t i = 0; i < text.size(); i++) {
        auto byte = text[i] == '%' && i + 2 < text.size()
                        ? parse_number(fmt::format("0x{}", text.substr(i + 1, 2)))
                        : std::nullopt;
        if (byte)
            i += 2;
        else if (text[i] == '\\' && i + 1 < text.size())
            i++;
        result += byte ? char(*byte) : text[i];
    }
    return result;
}

// Removes name='value' and a comma after it from the front of the text.
bool take_pair(std::string_view &rest, std::string_view &name, std::string_view &value)
{
    size_t equals = rest.find("='");
    if (equals == rest.npos)
        return false;
    name = trim(rest.substr(0, equals));
    size_t begin = equals + 2, end = begin;
    while (end < rest.size() && rest[end] != '\'')
        end += rest[end] == '\\' ? 2 : 1;
    if (end >= rest.size())
        return false;
    value = rest.substr(begin, end - begin);
    rest = trim(rest.substr(end + 1));
    if (rest.starts_with(','))
        rest.remove_prefix(1);
    return true;
}

}  // namespace

std::optional<std::string> sql_tag(std::string_view statement, std::string_view name,
                                   Dialect dialect)
{
    std::optional<std::string> found;
    for (const SqlToken &token : sql_tokens(statement, {dialect})) {
        std::string_view text = statement.substr(token.start, token.end - token.start);
        if (token.kind != SqlToken::Kind::Comment || !text.starts_with("/*") ||
            !text.ends_with("*/"))
            continue;
        std::string_view rest = text.substr(2, text.size() < 4 ? 0 : text.size() - 4), key, value;
        while (take_pair(rest, key, value)) {
            if (key == name)
                found = decoded(value);
        }
    }
    return found;
}

}  // namespace uscope::db
