// What the kernel tells of a server's statements (bpf/lib/statement.h), with their texts: an execution
// of MySQL gets that of its preparation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "db/prepared_texts.h"
#include "lib/statement.h"

namespace uscope::db {

struct Statement {
    statement_event event;
    std::string_view text = {};     // as long as the record, or the statement is kept
    bool is_cut = false;            // it is the beginning of the whole,
    uint64_t length = 0;            // which has so many bytes; 0: not known
    const char *unknown = nullptr;  // why there is no text

    const char *kind() const;  // "query", "execute", "parse" …
    // "1064", "42P01"; "failed" when no more is known; "ok". `tells_errors`: does the server?
    std::string status(bool tells_errors) const;
    std::string_view sqlstate() const;  // "": not known
    std::string_view database() const, user() const;
};

class StatementTexts {
  public:
    // Of texts the first `text_bytes` are in the record. Nothing: it is none, or only told for the
    // sake of others.
    std::optional<Statement> read(Bytes record, uint32_t text_bytes);

  private:
    bool is_shown(const Statement &statement);
    void find_text(Statement &statement) const;

    PreparedTexts prepared_;
};

}  // namespace uscope::db
