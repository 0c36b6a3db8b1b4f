// The columns and JSON keys of a statement, for all tools that show single statements.
#pragma once

#include "db/statement_texts.h"
#include "output/clock.h"
#include "output/rows.h"

namespace uscope::db {

struct StatementStyle {
    // Slow: the columns of BCC's dbslower. All: those of mysqlqueries.
    enum class Columns : uint8_t { Slow, SlowWide, All, AllWithUser };
    Columns columns = Columns::Slow;
    bool reports_errors = true;  // false: some server does not report failed statements
    bool trace_id = false;       // that of the traceparent in the statement's comments
};

// `clock` outlives the result.
output::Rows<Statement>::Fields statement_fields(const StatementStyle &style,
                                                 const output::Clock &clock);

// The attributes of a statement's span. `values`: its text has its values, not ? instead of them.
output::Rows<Statement>::Fields statement_attributes(bool values);

}  // namespace uscope::db
