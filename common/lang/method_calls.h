// Output of ucalls: calls of methods and system calls as rows, largest last, or as JSON.
#pragma once

#include <string>
#include <vector>

#include "output/histogram.h"
#include "output/rows.h"

namespace uscope::lang {

struct MethodCalls {
    std::string class_name, name;
    bool is_syscall = false;
    uint64_t calls = 0, time_ns = 0;
    output::Histogram times;

    std::string shown() const { return class_name.empty() ? name : class_name + "." + name; }
};

struct CallsStyle {
    bool latency = false, percentiles = false, milliseconds = false;
    bool json = false;
};

// Sorts by time if style.latency, else by calls; largest last.
void sort_calls(std::vector<MethodCalls> &methods, const CallsStyle &style);
void print_calls(output::Writer &writer, const std::vector<MethodCalls> &methods,
                 const CallsStyle &style);

}  // namespace uscope::lang
