// Writes counted stacks for `go tool pprof` and other readers of its format: a protobuf message,
// Profile (github.com/google/pprof, proto/profile.proto), compressed by gzip.
//
//     message    field  what                           for "samples" 3 and "cpu" 30303030:
//     Profile    1      sample_type: ValueType         0a 04 08 01 10 02
//                2      sample: Sample                 12 06 0a 01 01 12 ...
//                3      mapping: a segment of a file that has code without names
//                4, 5   location, function
//                6      string_table                   32 00 (empty) 32 07 "samples" ...
//
// A field is its number * 8 + wire type, then a varint (type 0), or a length and that many bytes
// (type 2). Strings, functions and locations are referred to by numbers; here each frame is one
// function at one location. Only frames without a symbol have a mapping and an address. Their
// mapping does not have the flag has_functions, so that readers that find the symbols replace the
// function's name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "output/stack_count.h"

namespace uscope::output {

struct PprofProfile {
    std::string unit_name = "samples";  // the name of the counts: "samples" or "alloc_objects"
    // The name and unit of each stack's second value: the count times value_of_one.
    std::string value_name = "cpu", value_unit = "nanoseconds";
    uint64_t value_of_one = 1;
    uint64_t time_ns = 0, duration_ns = 0;  // the recording's start, since 1970; its length
};

// Returns the uncompressed message.
std::string pprof_message(const PprofProfile &profile, const std::vector<StackCount> &stacks);
// Returns the file: the compressed message. Errors: out of memory.
Result<std::string> pprof_file(const PprofProfile &profile, const std::vector<StackCount> &stacks);

}  // namespace uscope::output
