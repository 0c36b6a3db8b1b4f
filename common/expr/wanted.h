// How the values of an event are wanted, and what becomes of them.
#pragma once

#include <cstdint>

namespace uscope::expr {

// How a value is wanted: by the format specifier that shows it.
enum class Wanted : uint8_t { Natural, Integer, Float, String };

// What becomes of the values, by the C function `emit`.
enum class OutputKind : uint8_t {
    // A record of the ring buffer: int emit(void *ctx, void *record, __u64 tag). When there was no
    // place for one, it is NULL and the tag is EVENT_LOST or EVENT_LOST_CALL: older verifiers (Linux
    // 6.1) follow a constant, but do not see that a record is not NULL.
    Record,
    // A key on the stack, all bytes defined, and one value that is measured:
    //     int emit(void *ctx, void *table, void *key, __u64 measured, __s64 status)
    // `table` is the map of MapSlot::Table, `key` NULL without outputs. `status` is 0, or says why
    // there is no value to measure, as Field::status_offset does: -ENOSPC at a function's entry,
    // without key, when there is no place to remember the call; TABLE_AT_ENTRY: see `checks_at_entry`.
    Key,
};

}  // namespace uscope::expr
