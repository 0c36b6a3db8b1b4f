// Appends the tables that a style asks for.
#include "output/histogram_rows.h"

namespace uscope::output {

void append_tables(std::string &out, const HistogramStyle &style, const Histogram &histogram,
                   size_t columns)
{
    if (style.log_linear)
        append_log_linear(out, style.label, histogram, readable_split(histogram), columns);
    else
        append_log2(out, style.label, histogram, columns);
    if (style.average)
        append_average(out, style.unit, histogram, columns);
    if (style.percentiles || style.log_linear)
        append_percentiles(out, style.suffix, histogram, columns);
}

}  // namespace uscope::output
