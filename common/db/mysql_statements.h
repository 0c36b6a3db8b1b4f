// What the kernel tells of a server's commands (bpf/mysqlqueries.h), as statements with their texts:
// an execution gets that of its preparation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "db/prepared_texts.h"
#include "mysqlqueries.h"

namespace uscope::db {

struct MysqlStatement {
    enum class Text : uint8_t {
        None,        // a command without one
        Known,       // `text`, or its beginning
        Unreadable,  // event.unreadable
        Before,      // the statement was prepared before anybody looked
        Unknown,     // the server does not tell which one
    };

    mysqlqueries_event event;
    Text kind = Text::None;
    std::string_view text = {};  // as long as the record, or the statement is kept
    uint32_t length = 0;         // of the whole

    bool is_truncated() const { return kind == Text::Known && text.size() < length; }
    // "select 1", "#3" of a command about a prepared statement; what is not text is in brackets.
    // Safe for a terminal.
    std::string shown() const;
    // For a table of digests: executions are counted with statements that were sent as they are.
    std::string digest() const;
};

class MysqlStatements {
  public:
    // Nothing: the record is none.
    std::optional<MysqlStatement> read(Bytes record);

  private:
    void find_text(MysqlStatement &statement, std::string_view text);

    PreparedTexts prepared_;
};

}  // namespace uscope::db
