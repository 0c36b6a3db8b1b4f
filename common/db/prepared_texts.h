// The texts of prepared statements, kept for each connection until it ends.
//
// An execution refers to its prepared statement by the address of the server's object for it. The
// server reuses an address only for another prepared statement, whose preparation replaces the text
// here, so a text is never outdated. Connections whose end is not reported, such as those of killed
// servers, stay until the limits are reached; then the least recently used connection is forgotten.
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
    uint32_t length = 0;  // of the whole text
    bool is_cut = false;  // `text` is only its beginning
    bool is_masked = false;
};

class PreparedTexts {
  public:
    struct Connection {
        uint32_t tgid;
        uint64_t thd;
        auto operator<=>(const Connection &) const = default;
    };

    // Limits: statements, and bytes of their texts.
    explicit PreparedTexts(size_t max = 1 << 18, size_t max_bytes = 128 << 20)
        : max_(max), max_bytes_(max_bytes)
    {
    }

    void prepare(const Connection &connection, uint64_t statement, StatementText text);
    // Returns null if the statement was prepared before tracing began, or is forgotten.
    const StatementText *find(const Connection &connection, uint64_t statement);
    void end(const Connection &connection);
    bool has_forgotten() const { return has_forgotten_; }

  private:
    struct Known {
        std::map<uint64_t, StatementText> texts;
        std::list<Connection>::iterator position;  // in order_
    };
    void forget(std::map<Connection, Known>::iterator connection);

    size_t max_, max_bytes_;
    size_t count_ = 0, bytes_ = 0;
    bool has_forgotten_ = false;
    std::map<Connection, Known> connections_;
    std::list<Connection> order_;  // least recently used first
};

}  // namespace uscope::db
