// The texts of prepared statements, kept by connection until it ends.
//
// An execution names its statement by the address of the server's object. An address is used again
// only after another preparation there, which brings its own text: so what is known is never old.
// Connections that end without a word, and those of servers that are killed, stay until others need
// the room: the connection that was used the longest time ago is forgotten first.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace uscope::db {

struct StatementText {
    std::string text;
    uint32_t length = 0;  // of the whole,
    bool is_cut = false;  // of which `text` is the beginning
    bool is_masked = false;
};

class PreparedTexts {
  public:
    struct Connection {
        uint32_t tgid;
        uint64_t thd;
        auto operator<=>(const Connection &) const = default;
    };

    // Room for so many statements, and bytes of their texts.
    explicit PreparedTexts(size_t most = 1 << 18, size_t most_bytes = 128 << 20)
        : most_(most), most_bytes_(most_bytes)
    {
    }

    void prepare(const Connection &connection, uint64_t statement, StatementText text);
    // Null: it was prepared before anybody looked, or is forgotten.
    const StatementText *find(const Connection &connection, uint64_t statement);
    void end(const Connection &connection);
    bool has_forgotten() const { return has_forgotten_; }

  private:
    struct Known {
        std::map<uint64_t, StatementText> texts;
        std::list<Connection>::iterator place;  // in order_
    };
    void forget(std::map<Connection, Known>::iterator connection);

    size_t most_, most_bytes_;
    size_t count_ = 0, bytes_ = 0;
    bool has_forgotten_ = false;
    std::map<Connection, Known> connections_;
    std::list<Connection> order_;  // that were used the longest time ago first
};

}  // namespace uscope::db
