// Finds the words after "from", "into" and the like.
#include "db/query_summary.h"

#include <algorithm>

#include "base/text.h"

namespace uscope::db {
namespace {

constexpr size_t max_bytes = 255;

// Words that name tables follow these.
bool precedes_table(std::string_view word)
{
    constexpr std::string_view words[] = {"from", "into", "update", "join", "table"};
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// Words between those and the table's name.
bool is_filler(std::string_view word)
{
    constexpr std::string_view words[] = {"if", "not", "exists", "only", "low_priority", "ignore"};
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool begins_name(std::string_view word)
{
    return !word.empty() && (is_identifier(word[0]) || word[0] == '`' || word[0] == '"') &&
           !(word[0] >= '0' && word[0] <= '9');
}

}  // namespace

std::string query_operation(std::string_view digest)
{
    if (digest.starts_with('('))  // a command of MySQL's protocol
        return std::string(digest.substr(1, digest.find(')') - 1));
    std::string word(digest.substr(0, std::min(digest.find_first_of(" ;("), digest.size())));
    for (char &c : word)
        c = c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
    return word.substr(0, max_bytes);
}

std::string query_summary(std::string_view digest)
{
    std::string summary = query_operation(digest);
    if (digest.starts_with('('))
        return summary;
    bool is_next = false;
    for (std::string_view word : split(digest, ' ')) {
        std::string_view name = word.substr(0, std::min(word.find_first_of(",;()"), word.size()));
        if (is_next && is_filler(word))
            continue;
        if (is_next && begins_name(name) && summary.size() + 1 + name.size() <= max_bytes)
            summary.append(" ").append(name);
        is_next = precedes_table(word);
    }
    return summary;
}

}  // namespace uscope::db
