// What the kernel reports about a server's statements (bpf/lib/statement.h), with their texts: an execution
// of MySQL gets that of its preparation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "db/prepared_texts.h"
#include "db/sql_lexer.h"
#include "lib/statement.h"

namespace uscope::db {

struct Statement {
    statement_event event;
    bool has_text = false;
    std::string_view text = {};     // until the next one is read
    bool is_masked = false;         // secrets in it are hidden
    bool is_cut = false;            // it is the beginning of the whole,
    uint64_t length = 0;            // which has so many bytes; 0: not known
    const char *unknown = nullptr;  // why there is no text, of what should have one

    bool is_postgres() const { return event.kind >= 'A' && event.kind <= 'Z'; }
    Dialect dialect() const { return is_postgres() ? Dialect::Postgres : Dialect::Mysql; }
    const char *kind() const;  // "query", "execute", "parse" …
    // "1064", "42P01"; "failed" when no more is known; "ok". `reports_errors`: does the server?
    std::string status(bool reports_errors) const;
    std::string_view sqlstate() const;  // "": not known
    std::string_view database() const, user() const;
    // "select 1", "#3" of a command about a prepared statement; what is not text is in brackets.
    // Safe for a terminal.
    std::string shown() const;
    // How many the text holds: clients may send several in one packet.
    size_t count() const;
    // For a table of digests: executions are counted with statements that were sent as they are.
    std::string digest() const;
    std::string tag(const std::optional<std::string> &name) const;  // "": it has none
};

// Was it asked for? The kernel also reports statements that only supply the texts of others.
bool is_wanted(const statement_event &event, const statement_config &config);

class StatementTexts {
  public:
    // `secrets`: passwords are shown as they are.
    explicit StatementTexts(bool secrets = false) : secrets_(secrets) {}
    // Nothing: the record is none.
    std::optional<Statement> read(Bytes record);

  private:
    void find_text(Statement &statement, std::string_view kept);
    void find_prepared(Statement &statement);
    void learn(const Statement &statement);
    void hide_secrets(Statement &statement);

    bool secrets_;
    std::string masked_;  // what `text` of the last one may be in
    PreparedTexts prepared_;
};

}  // namespace uscope::db
