// What a tool took from the kernel and from processes, kept in a file: unit tests give it again to the code that the
// tool gave it to, without privileges (tests/recordings/make).
//
// Whoever takes something that is worth it calls add_to_recording(). Nothing is kept unless $USCOPE_RECORD names the file:
//
//     "uscope recording 1\n", then for each call, in the machine's byte order:
//     u32 bytes of the name, u32 bytes of the data, the name ("http_events"), the data (of a ring buffer: one record)
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace uscope {

// Makes the file that $USCOPE_RECORD names, for its owner only, and takes the variable out of the environment. Not for a
// tool that is set-user-ID. Errors: there is something of that name; it cannot be made.
Result<> start_recording();
bool is_recording();
// `data`: parts that stand one behind the other.
void add_to_recording(std::string_view what, std::initializer_list<Bytes> data);
// Errors: what was recorded could not all be written.
Result<> end_recording();

struct Recorded {
    std::string_view what;
    Bytes data;
};
// Both refer to `file`. Errors: it is no recording, or ends in the middle.
Result<std::vector<Recorded>> read_recording(Bytes file);

}  // namespace uscope
