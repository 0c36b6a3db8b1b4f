// Statements from the kernel's records (bpf/servers/statement.h), with their texts. An execution in
// MySQL gets the text of its prepared statement.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "bpf/servers/statement.h"
#include "db/prepared_texts.h"
#include "db/sql_lexer.h"

namespace uscope::db {

struct Statement {
    statement_event event;
    bool has_text = false;
    std::string_view text = {};     // valid until the next statement is read
    bool is_masked = false;         // secrets in it are hidden
    bool is_cut = false;            // `text` is only the beginning
    uint64_t length = 0;            // bytes of the whole text; 0: unknown
    const char *unknown = nullptr;  // why a statement that should have a text has none
    // digest() and summary() keep them; empty: not computed yet
    mutable std::string known_digest = {}, known_summary = {};

    bool is_postgres() const { return event.kind >= 'A' && event.kind <= 'Z'; }
    Dialect dialect() const { return is_postgres() ? Dialect::Postgres : Dialect::Mysql; }
    const char *kind() const;  // "query", "execute", "parse" …
    // "ok", "open", an error ("1064", "42P01"), "failed" if the error is unknown, or "-" if the
    // server does not report errors (`reports_errors`).
    std::string status(bool reports_errors) const;
    std::string_view sqlstate() const;  // "": unknown
    std::string_view database() const, user() const;
    // "select 1", or "#3" for a command about a prepared statement. Remarks such as "[2
    // statements]" are in brackets. Safe for a terminal.
    std::string shown() const;
    // The number of statements in the text: clients may send several in one packet.
    size_t count() const;
    // The key in a table of digests. The execution of a prepared statement has the same digest as
    // the same text sent as a query.
    const std::string &digest() const;
    const std::string &summary() const;  // of the digest (db/query_summary.h)
    std::string tag(const std::optional<std::string> &name) const;  // "": no such tag
    // The tag "traceparent" (wire/trace_parent.h); "": none.
    std::string traceparent() const
    {
        bool may_have = has_text && text.find("traceparent") != text.npos;
        return may_have ? tag("traceparent") : "";
    }
};

// Did the user select this statement, by its time and its command? The kernel also reports
// statements that only supply the texts of later executions.
bool is_wanted(const statement_event &event, const statement_config &config);

class StatementTexts {
  public:
    // `secrets`: do not hide passwords.
    explicit StatementTexts(bool secrets = false) : secrets_(secrets) {}
    // Returns nullopt if the record is damaged.
    std::optional<Statement> read(Bytes record);

  private:
    void find_text(Statement &statement, std::string_view kept);
    void find_prepared(Statement &statement);
    void learn(const Statement &statement);
    void hide_secrets(Statement &statement);

    bool secrets_;
    std::string masked_;  // holds the last statement's `text` if it was masked
    PreparedTexts prepared_;
};

}  // namespace uscope::db
