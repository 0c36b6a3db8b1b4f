// An LRU of connections, each with the texts of its prepared statements.
#include "db/prepared_texts.h"

namespace uscope::db {

void PreparedTexts::prepare(const Connection &connection, uint64_t statement, StatementText text)
{
    auto [known, is_new] = connections_.try_emplace(connection);
    if (is_new)
        known->second.position = order_.insert(order_.end(), connection);
    auto [entry, is_added] = known->second.texts.try_emplace(statement);
    count_ += is_added;
    bytes_ += text.text.size() - entry->second.text.size();
    entry->second = std::move(text);
    while ((count_ > max_ || bytes_ > max_bytes_) && order_.front() != connection) {
        forget(connections_.find(order_.front()));
        has_forgotten_ = true;
    }
}

const StatementText *PreparedTexts::find(const Connection &connection, uint64_t statement)
{
    auto known = connections_.find(connection);
    if (known == connections_.end())
        return nullptr;
    order_.splice(order_.end(), order_, known->second.position);
    auto found = known->second.texts.find(statement);
    return found == known->second.texts.end() ? nullptr : &found->second;
}

void PreparedTexts::end(const Connection &connection)
{
    if (auto known = connections_.find(connection); known != connections_.end())
        forget(known);
}

void PreparedTexts::forget(std::map<Connection, Known>::iterator connection)
{
    for (const auto &[statement, text] : connection->second.texts)
        bytes_ -= text.text.size();
    count_ -= connection->second.texts.size();
    order_.erase(connection->second.position);
    connections_.erase(connection);
}

}  // namespace uscope::db
