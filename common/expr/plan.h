// What a request needs: its expressions checked, the record laid out, the values to save at entry.
#pragma once

#include "expr/codegen.h"

namespace uscope::expr {

struct PlannedValue {
    Shape shape;
    ExprRef expr;
    uint32_t capacity = 0;  // String, Bytes: of the largest layout
    uint32_t parts = 0;     // Interface: as in Field
};

// In a call record, behind the time: where the call returns to, if that is saved.
constexpr int32_t call_caller_offset = sizeof(uint64_t);

struct Plan {
    ExprRef condition, predicate;  // may be null
    std::vector<PlannedValue> values;
    ExprRef measured;  // may be null
    std::vector<Program::Layout> layouts;
    ExprRef goroutine;  // null but for CallKeys of goroutines
    std::vector<SavedItem> saved;
    uint32_t call_bytes = 0;  // of the call record; 0: none is needed
    bool uses_latency = false;
    bool uses_ids = false;  // $pid, $tid; at entry or later
    // The call record is one number, which a session program's 8 bytes can hold.
    bool is_session = false;
    bool saves_caller = false;
};

Result<Plan> make_plan(const ProgramRequest &request);

}  // namespace uscope::expr
