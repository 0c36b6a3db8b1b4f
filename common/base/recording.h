// Records to a file the data that a tool reads from the kernel and from processes. Unit tests feed
// such a file to the same code, which needs no privileges then; tests/recordings/make creates the
// files.
//
// Code that reads such data calls add_to_recording(), which does nothing unless $USCOPE_RECORD
// named a file when the tool started. The file's format:
//
//     "uscope recording 1\n", then for each call, in the machine's byte order:
//     u32 size of the name, u32 size of the data, the name ("http_events"), the data (from a ring
//     buffer: one record)
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace uscope {

// Creates the file that $USCOPE_RECORD names, readable only by its owner, and removes the variable
// from the environment. Does nothing if the variable is not set or the tool is set-user-ID. Errors:
// the file already exists or cannot be created.
Result<> start_recording();
bool is_recording();
// Adds an entry with the name `what`. Its data are the byte ranges in `data`, one after the other.
void add_to_recording(std::string_view what, std::initializer_list<Bytes> data);
// Writes buffered entries and closes the file. Errors: a write failed, now or earlier.
Result<> end_recording();

struct Recorded {
    std::string_view what;
    Bytes data;
};
// Returns the entries; their names and data point into `file`. Errors: `file` is not a recording in
// this format, or ends in the middle of an entry.
Result<std::vector<Recorded>> read_recording(Bytes file);

}  // namespace uscope
