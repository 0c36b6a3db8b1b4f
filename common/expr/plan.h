// Plans a program: checks the request's expressions, lays out the record, and collects the values
// to save at entry.
#pragma once

#include "expr/codegen.h"

namespace uscope::expr {

struct PlannedValue {
    Shape shape;
    ExprRef expr;
    uint32_t capacity = 0;  // String, Bytes: most bytes, in the largest layout
    uint32_t parts = 0;     // Interface, Whole: as in Field
    std::shared_ptr<const Whole> whole = {};
};

// The offset of the return address in a call record, after the time. Only records with
// Plan::saves_caller have it.
constexpr int32_t call_caller_offset = sizeof(uint64_t);

struct Plan {
    ExprRef condition, predicate;  // may be null
    std::vector<PlannedValue> values;
    ExprRef measured;  // may be null
    std::vector<ExprRef> addends;
    std::vector<Program::Layout> layouts;
    ExprRef goroutine;  // null unless calls are identified by their goroutine
    std::vector<SavedItem> saved;
    uint32_t call_bytes = 0;  // size of the call record; 0: none is needed
    bool uses_latency = false;
    bool uses_ids = false;  // $pid or $tid, at entry or later
    // Generate a session program: the 8 bytes that the kernel keeps for each call are enough for
    // the call record, which is one number.
    bool is_session = false;
    bool saves_caller = false;  // call records have the return address: request's shares_exits
};

// Errors: mistakes in the expressions, and strings longer than 65536 bytes.
Result<Plan> make_plan(const ProgramRequest &request);

}  // namespace uscope::expr
