// How the values of an event are shown, and where the program puts them.
#pragma once

#include <cstdint>

namespace uscope::expr {

// The kind of value that the format specifier needs (%d, %f, %s); Natural: by the value's type.
enum class Wanted : uint8_t { Natural, Integer, Float, String };

// What the program passes to the C function `emit`:
enum class OutputKind : uint8_t {
    // A record of the ring buffer: int emit(void *ctx, void *record, __u64 tag). For a lost event,
    // `record` is NULL and the tag is EVENT_LOST or EVENT_LOST_CALL. The C function has to test the
    // tag: older verifiers (Linux 6.1) track a constant, but not that a record is not NULL.
    Record,
    // A key on the stack, with all bytes defined, and one measured value:
    //     int emit(void *ctx, void *table, void *key, __u64 measured, __s64 status)
    // `table` is the map of MapSlot::Table; `key` is NULL without outputs. `status` is 0, or the
    // reason why there is no measured value: as Field::status_offset; -ENOSPC, without a key, if
    // the call is lost; TABLE_AT_ENTRY: see `checks_at_entry`.
    Key,
};

}  // namespace uscope::expr
