// Histograms as tables with stars, as lines of numbers, and as JSON.
//
//          usecs               : count     distribution
//              0 -> 1          : 3        |****************************************|
//              2 -> 3          : 1        |*************                           |
//
// The tables are BCC's, to the byte: numbers in ten columns and forty stars, or twenty and twenty
// where a row reaches beyond 32 bits; stars rounded down. Nothing is printed of an empty histogram.
// Values below zero, which BCC takes for huge ones, have a row of their own before the others,
// "-inf -> -1", when there are any.
//
// `columns` is how wide the terminal is (Writer::columns()): with fewer than the tables' 78 no column
// is wider than it must be, and the stars take the rest. 0: as if there were enough.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "output/histogram.h"

namespace uscope::output {

// A row for each power of two, from 0 -> 1 to the last that has values. `label` is what the values
// are: a unit or an expression.
void append_log2(std::string &out, std::string_view label, const Histogram &histogram,
                 size_t columns = 0);

// 2^split rows (split <= HISTOGRAM_BITS) for each power of two, where it has as many values, from
// the first row that has any to the last.
void append_log_linear(std::string &out, std::string_view label, const Histogram &histogram,
                       uint32_t split, size_t columns = 0);
// The finest split whose table has at most `rows` rows, or 0.
uint32_t readable_split(const Histogram &histogram, size_t rows = 40);

// Buckets of `step` values, the first from `min`, the last ending before `max`; one before them for
// all that is less, one behind for the rest. min < max, step > 0.
struct LinearScale {
    int64_t min, max;
    uint64_t step;

    size_t buckets() const;  // with the two outer ones
};
// `counts[i]` is how many values bucket `i` has. The table goes from the first that has any to the
// last.
void append_linear(std::string &out, std::string_view label, const LinearScale &scale,
                   const std::vector<uint64_t> &counts, size_t columns = 0);

// "p50 12us  p90 40us  p99 95us  p99.9 180us  max 201us" and a newline, for the suffix "us"; and
// "  (3 below 0)" where there are such values. Nothing when there is no value.
void append_percentiles(std::string &out, std::string_view suffix, const Histogram &histogram,
                        size_t columns = 0);
// funclatency's "avg = 12 usecs, total: 600 usecs, count: 50" and a newline. Nothing when empty.
void append_average(std::string &out, std::string_view unit, const Histogram &histogram,
                    size_t columns = 0);

// {"unit":"usecs","count":2,"sum":7,"avg":3,"max":4,"p50":3,"p90":4,"p99":4,"p99.9":4,
//  "buckets":[{"low":3,"high":3,"count":1},{"low":4,"high":4,"count":1}]}
// with the buckets that are not empty. "negative":N stands before them when there are values below
// zero, which nothing else counts; avg to p99.9 are null when there are no others.
void append_json(std::string &out, std::string_view unit, const Histogram &histogram);
// {"unit":"bytes","count":3,"buckets":[{"low":null,"high":-1,"count":1},{"low":0,"high":9,"count":2}]}
void append_json(std::string &out, std::string_view unit, const LinearScale &scale,
                 const std::vector<uint64_t> &counts);

}  // namespace uscope::output
