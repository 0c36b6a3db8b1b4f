// The texts of prepared statements, kept by connection until it ends.
//
// An execution names its statement by the address of the server's object. An address is used again
// only after another preparation there, which brings its own text: so what is known is never old.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace uscope::db {

struct StatementText {
    std::string text;
    uint32_t length = 0;  // of the whole, of which `text` may be the beginning
};

class PreparedTexts {
  public:
    struct Connection {
        uint32_t tgid;
        uint64_t thd;
        auto operator<=>(const Connection &) const = default;
    };

    void prepare(const Connection &connection, uint64_t statement, StatementText text)
    {
        texts_[connection][statement] = std::move(text);
    }
    // Null: it was prepared before anybody looked.
    const StatementText *find(const Connection &connection, uint64_t statement) const;
    void end(const Connection &connection) { texts_.erase(connection); }

  private:
    std::map<Connection, std::map<uint64_t, StatementText>> texts_;
};

}  // namespace uscope::db
