// Names, labels and numbers of Prometheus's text formats.
#include "telemetry/metric_text.h"

#include <algorithm>

#include "base/format.h"
#include "output/escape.h"

namespace uscope::telemetry {
namespace {

using Kind = Metric::Kind;
using Unit = Metric::Unit;
constexpr int64_t second_ns = 1'000'000'000;

// Replaces what names must not have: "$entry(fd)" becomes "entry_fd".
std::string valid_name(std::string_view name)
{
    std::string valid;
    for (char c : name) {
        bool is_digit = c >= '0' && c <= '9',
             is_valid = is_digit || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (is_digit && valid.empty())
            valid += '_';
        if (is_valid)
            valid += c;
        else if (!valid.empty() && valid.back() != '_')
            valid += '_';
    }
    while (valid.size() > 1 && valid.back() == '_')
        valid.pop_back();
    return valid.empty() ? "_" : valid;
}

std::string valid_label(std::string_view name)
{
    std::string valid = valid_name(name);
    while (valid.starts_with("__"))
        valid.erase(0, 1);
    return valid;
}

// Appends name="value"; in values, backslashes, quotes and line feeds are escaped.
void append_label(std::string &labels, std::string_view name, std::string_view value)
{
    if (!labels.empty())
        labels += ',';
    labels.append(name).append("=\"");
    std::string valid;
    output::append_valid_utf8(valid, value);
    for (char c : valid) {
        if (c == '\\' || c == '"')
            labels += '\\';
        labels += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    labels += '"';
}

// Labels of one name would make the whole text invalid: the later ones get a number. "le" is that
// of buckets; Prometheus drops labels that begin with "__".
std::string labels_of(const MetricStore::Series &series)
{
    std::string labels;
    std::vector<std::string> names;
    for (const auto &[name, value] : series.labels) {
        const std::string plain = valid_label(name);
        std::string valid = plain;
        for (size_t number = names.size();
             valid == "le" || std::find(names.begin(), names.end(), valid) != names.end(); number++)
            valid = fmt::format("{}_{}", plain, number);
        append_label(labels, valid, value);
        names.push_back(std::move(valid));
    }
    return labels;
}

std::string number(Unit unit, MetricStore::Total value)
{
    if (unit != Unit::Seconds)
        return fmt::format("{}", value);
    auto magnitude = value < 0 ? -value : value;
    return fmt::format("{}{}.{:09}", value < 0 ? "-" : "", magnitude / second_ns,
                       uint64_t(magnitude % second_ns));
}

std::string bound_text(Unit unit, int64_t bound)
{
    return unit == Unit::Seconds ? fmt::format("{}", double(bound) / second_ns)
                                 : fmt::format("{}", bound);
}

// name{labels,more} value
void append_sample(std::string &text, std::string_view name, std::string_view labels,
                   std::string_view more, std::string_view value)
{
    text += name;
    if (!labels.empty() || !more.empty())
        append_format(text, "{{{}{}{}}}", labels, labels.empty() || more.empty() ? "" : ",", more);
    append_format(text, " {}\n", value);
}

void append_histogram(std::string &text, const std::string &name, Unit unit,
                      const MetricStore::Series &series)
{
    std::string labels = labels_of(series), bucket = name + "_bucket";
    uint64_t count = 0;
    for (size_t i = 0; i < series.bounds->size(); i++) {
        count += series.counts[i];
        std::string le = fmt::format("le=\"{}\"", bound_text(unit, (*series.bounds)[i]));
        append_sample(text, bucket, labels, le, fmt::format("{}", count));
    }
    std::string all = fmt::format("{}", series.count);
    append_sample(text, bucket, labels, "le=\"+Inf\"", all);
    append_sample(text, name + "_sum", labels, "",
                  series.has_sum ? number(unit, series.total) : "NaN");
    append_sample(text, name + "_count", labels, "", all);
}

}  // namespace

std::string metric_text(const MetricStore &store, TextForm form)
{
    constexpr const char *units[] = {"", "seconds", "bytes"},
                         *kinds[] = {"counter", "gauge", "histogram"};
    bool is_open = form == TextForm::OpenMetrics;
    std::string text;
    for (const auto &[key, family] : store.families()) {
        const Metric &metric = family.metric;
        std::string name = valid_name(metric.name), unit = units[int(metric.unit)];
        if (!unit.empty())
            name += "_" + unit;
        std::string total = metric.kind == Kind::Counter ? "_total" : "";
        std::string title = is_open ? name : name + total;
        append_format(text, "# HELP {0} {1}\n# TYPE {0} {2}\n", title, metric.help,
                      kinds[int(metric.kind)]);
        if (is_open && !unit.empty())
            append_format(text, "# UNIT {} {}\n", name, unit);
        for (const auto &[labels, series] : family.series) {
            if (metric.kind == Kind::Histogram)
                append_histogram(text, name, metric.unit, series);
            else
                append_sample(text, name + total, labels_of(series), "",
                              number(metric.unit, series.total));
        }
    }
    if (is_open)
        text += "# EOF\n";
    return text;
}

}  // namespace uscope::telemetry
