// The digest of any statement has a bounded length, contains no string, and is one line.
#include "db/digest.h"
#include "db/secrets.h"
#include "require.h"

using namespace uscope::db;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    std::string_view text(reinterpret_cast<const char *>(data), size);
    std::string whole = digest(text, Dialect::Mysql, size_t(-1) / 2);
    require(whole.size() <= 3 * size + 1);

    bool in_name = false;
    char before = ' ';
    for (char c : whole) {
        if (c == '`')
            in_name = !in_name;
        if (!in_name) {
            require(c != '\'' && c != '"' && c != '\n' && c != '\t');
            require(c != ' ' || before != ' ');
        }
        before = c;
    }
    require(!in_name);

    require(digest(text, Dialect::Mysql, 16) == whole.substr(0, 16));

    require(digest(text, Dialect::Postgres, size_t(-1) / 2).size() <= 3 * size + 1);
    if (auto hidden = without_secrets(text))
        require(hidden->find("<secret>") != hidden->npos);
    return 0;
}
