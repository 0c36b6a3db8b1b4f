#include "db/prepared_texts.h"

namespace uscope::db {

const StatementText *PreparedTexts::find(const Connection &connection, uint64_t statement) const
{
    auto texts = texts_.find(connection);
    if (texts == texts_.end())
        return nullptr;
    auto found = texts->second.find(statement);
    return found == texts->second.end() ? nullptr : &found->second;
}

}  // namespace uscope::db
