// Records to a file what a tool reads from the kernel and from processes. Unit tests replay it into
// the same code without privileges (tests/recordings/make).
//
// Code that reads such data calls add_to_recording(), which does nothing unless $USCOPE_RECORD
// names a file. Its format:
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
// from the environment. Does nothing without the variable, or if the tool is set-user-ID. Errors:
// the file exists or cannot be created.
Result<> start_recording();
bool is_recording();
// Adds an entry; its data is the concatenation of the parts in `data`.
void add_to_recording(std::string_view what, std::initializer_list<Bytes> data);
// Writes the rest and closes the file. Errors: some of the recording could not be written.
Result<> end_recording();

struct Recorded {
    std::string_view what;
    Bytes data;
};
// Returns the entries; their names and data point into `file`. Errors: it is not a recording of
// this version, or it is cut.
Result<std::vector<Recorded>> read_recording(Bytes file);

}  // namespace uscope
