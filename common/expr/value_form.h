// How the values of an event are shown, and how the generated program passes them on.
#pragma once

#include <cstdint>

namespace uscope::expr {

// The kind of value that the format specifier needs (%d, %f, %s). Natural: there is no format
// specifier, so the value's type decides.
enum class ValueForm : uint8_t { Natural, Integer, Float, String };

// What the generated program passes to the tool's C function `emit`.
enum class OutputKind : uint8_t {
    // A record of the ring buffer:
    //     int emit(void *ctx, void *record, __u64 tag)
    // For a lost event, `record` is NULL and the tag is EVENT_LOST or EVENT_LOST_CALL. The C
    // function has to test the tag and not `record`: in each call of the function, older verifiers
    // (Linux 6.1) know the value of a constant tag, but not whether `record` is NULL.
    Record,
    // A key on the stack, whose padding is zero, and one measured value:
    //     int emit(void *ctx, void *table, void *key, __u64 measured, __s64 status)
    // `table` is the map of MapSlot::Table. `key` is NULL if the request has no outputs. `status`:
    //     0               `measured` is valid
    //     -errno          `measured` could not be read or calculated: as at Field::status_offset
    //     -ENOSPC         the record of the call was lost; `key` is NULL
    //     TABLE_AT_ENTRY  the function is entered (ProgramRequest::checks_at_entry); `key` is NULL
    Key,
};

}  // namespace uscope::expr
