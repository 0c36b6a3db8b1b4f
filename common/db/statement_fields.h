// What is shown of a statement, by all tools that show statements one by one.
#pragma once

#include "db/statement_texts.h"
#include "output/clock.h"
#include "output/rows.h"

namespace uscope::db {

struct StatementStyle {
    // Slow: BCC's columns, dbslower's. All: mysqlqueries'.
    enum class Columns : uint8_t { Slow, SlowWide, All, AllWithUser };
    Columns columns = Columns::Slow;
    bool reports_errors = true;  // do all servers tell which statements fail?
};

// `clock` outlives them.
output::Rows<Statement>::Fields statement_fields(const StatementStyle &style,
                                                 const output::Clock &clock);

}  // namespace uscope::db
