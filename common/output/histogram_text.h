// Prints histograms as tables with stars, as lines of numbers, and as JSON.
//
//          usecs               : count     distribution
//              0 -> 1          : 3        |****************************************|
//              2 -> 3          : 1        |*************                           |
//
// The tables are the same as BCC's, byte for byte: numbers take 10 columns and stars 40, or 20 and
// 20 if a row exceeds 32 bits; stars are rounded down. An empty histogram prints nothing. Values
// below zero, which BCC counts as huge ones, have a row "-inf -> -1" before the others, if there
// are any.
//
// `columns` is the terminal's width (Writer::columns()). If it is less than the tables' 78, the
// columns are as narrow as possible, and the stars take the rest. 0: unlimited.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output/cell.h"
#include "output/histogram.h"

namespace uscope::output {

// Appends a row for each power of two, from 0 -> 1 to the last that has values. `label` is the
// heading of the values: a unit or an expression.
void append_log2(std::string &out, std::string_view label, const Histogram &histogram,
                 size_t columns = 0);

// Appends 2^split rows (split <= HISTOGRAM_BITS) for each power of two (fewer if it has fewer
// values), from the first row that has a count to the last.
void append_log_linear(std::string &out, std::string_view label, const Histogram &histogram,
                       uint32_t split, size_t columns = 0);
// The greatest split whose table has at most `rows` rows, or 0.
uint32_t readable_split(const Histogram &histogram, size_t rows = 40);

// Buckets of `step` values each, from `min` to below `max`; plus one before them for lower values
// and one after them for the rest. min < max, step > 0.
struct LinearScale {
    int64_t min, max;
    uint64_t step;

    size_t buckets() const;  // the number of buckets, including the two outer ones
};
// `counts[i]` is the number of values in bucket `i`. The table goes from the first to the last
// bucket that has values.
void append_linear(std::string &out, std::string_view label, const LinearScale &scale,
                   const std::vector<uint64_t> &counts, size_t columns = 0);

// Appends "p50 12us  p90 40us  p99 95us  p99.9 180us  max 201us" and a newline, for the suffix
// "us"; with "  (3 below 0)" if there are such values. Appends nothing for an empty histogram.
void append_percentiles(std::string &out, std::string_view suffix, const Histogram &histogram,
                        size_t columns = 0);
// Appends "avg = 12 usecs, total: 600 usecs, count: 50" and a newline, as BCC's funclatency does.
// Appends nothing for an empty histogram.
void append_average(std::string &out, std::string_view unit, const Histogram &histogram,
                    size_t columns = 0);

// {"unit":"usecs","count":2,"sum":7,"avg":3,"max":4,"p50":3,"p90":4,"p99":4,"p99.9":4,
//  "buckets":[{"low":3,"high":3,"count":1},{"low":4,"high":4,"count":1}]}
//
// Empty buckets are omitted. If there are values below zero, "negative":N comes before the buckets;
// no other key counts them. avg to p99.9 are null if there are no other values.
void append_json(std::string &out, std::string_view unit, const Histogram &histogram);
// The members of this object without its buckets and negative values: "unit", "count", "sum",
// "avg", "max", "p50" …; those of an empty histogram have no value but for the first three.
std::vector<std::pair<std::string_view, Cell>> histogram_members(std::string_view unit,
                                                                 const Histogram &histogram);
// {"unit":"bytes","count":3,"buckets":[{"low":null,"high":-1,"count":1},
//                                      {"low":0,"high":9,"count":2}]}
void append_json(std::string &out, std::string_view unit, const LinearScale &scale,
                 const std::vector<uint64_t> &counts);

}  // namespace uscope::output
