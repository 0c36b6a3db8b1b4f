// Encodes the points of metrics.
#include "telemetry/otlp_metrics.h"

#include <bit>
#include <map>

#include "base/format.h"
#include "output/json.h"

namespace uscope::telemetry {
namespace {

using output::Cell, output::JsonObject, output::ProtobufMessage;
using Kind = Metric::Kind;
using Unit = Metric::Unit;
using Series = MetricStore::Series;

constexpr int cumulative = 2;
constexpr double ns_per_second = 1e9;

double in_unit(Unit unit, double value)
{
    return unit == Unit::Seconds ? value / ns_per_second : value;
}

// Integers that fit stay exact; seconds have fractions.
bool is_integer(Unit unit, MetricStore::Total total)
{
    return unit != Unit::Seconds && total >= INT64_MIN && total <= INT64_MAX;
}

struct Point {
    const Series &series;
    Unit unit;
    uint64_t start_ns, now_ns;

    const std::string *service() const
    {
        for (const auto &[name, value] : series.labels)
            if (name == service_label)
                return &value;
        return nullptr;
    }
    Attributes attributes() const
    {
        Attributes attributes;
        for (const auto &[name, value] : series.labels)
            if (name != service_label)
                attributes.emplace_back(name, std::string_view(value));
        return attributes;
    }
    double total() const { return in_unit(unit, double(series.total)); }
};

std::string packed(size_t count, const auto &bits_of)
{
    std::string text;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = bits_of(i);
        text.append(reinterpret_cast<const char *>(&bits), sizeof(bits));
    }
    return text;
}

void add_point(ProtobufMessage &message, const Point &point)
{
    ProtobufMessage pair, value;
    add_attributes(message, 7, point.attributes(), pair, value);
    message.fixed64(2, point.start_ns);
    message.fixed64(3, point.now_ns);
    if (is_integer(point.unit, point.series.total))
        message.fixed64(6, uint64_t(point.series.total));
    else
        message.real(4, point.total());
}

void add_histogram_point(ProtobufMessage &message, const Point &point)
{
    const Series &series = point.series;
    ProtobufMessage pair, value;
    add_attributes(message, 9, point.attributes(), pair, value);
    message.fixed64(2, point.start_ns);
    message.fixed64(3, point.now_ns);
    message.fixed64(4, series.count);
    if (series.has_sum)
        message.real(5, point.total());
    message.bytes(6, packed(series.counts.size(), [&](size_t i) { return series.counts[i]; }));
    message.bytes(7, packed(series.bounds->size(), [&](size_t i) {
                      double bound = in_unit(point.unit, double((*series.bounds)[i]));
                      return std::bit_cast<uint64_t>(bound);
                  }));
}

std::string_view unit_of(Unit unit)
{
    constexpr std::string_view units[] = {"", "s", "By"};
    return units[int(unit)];
}

// Returns the metric as a field of ScopeMetrics.
std::string protobuf_metric(const Metric &metric, const std::vector<Point> &points)
{
    constexpr unsigned sum = 7, histogram = 9;
    ProtobufMessage all, data, message, framed;
    for (const Point &point : points) {
        message.clear();
        (metric.kind == Kind::Histogram ? add_histogram_point : add_point)(message, point);
        data.bytes(1, message.text());
    }
    data.number(2, cumulative);
    if (metric.kind == Kind::Counter)
        data.number(3, true);
    all.bytes(1, metric.name);
    all.bytes(2, metric.help);
    all.bytes(3, unit_of(metric.unit));
    all.bytes(metric.kind == Kind::Histogram ? histogram : sum, data.text());
    framed.bytes(2, all.text());
    return framed.text();
}

void add_json_point(std::string &out, const Point &point)
{
    const Series &series = point.series;
    JsonObject object(out);
    add_json_attributes(object.member("attributes"), point.attributes());
    object.add("startTimeUnixNano", fmt::format("{}", point.start_ns));
    object.add("timeUnixNano", fmt::format("{}", point.now_ns));
    constexpr int exact = 17;  // digits that a double has at most
    if (series.bounds) {
        auto text = [](std::string &to, uint64_t count) { append_format(to, "\"{}\"", count); };
        auto bound = [&](std::string &to, int64_t value) {
            append_format(to, "{}", in_unit(point.unit, double(value)));
        };
        object.add("count", fmt::format("{}", series.count));
        if (series.has_sum)
            object.add("sum", Cell(point.total(), exact));
        output::append_json_array(object.member("bucketCounts"), series.counts, text);
        output::append_json_array(object.member("explicitBounds"), *series.bounds, bound);
    } else if (is_integer(point.unit, series.total)) {
        object.add("asInt", fmt::format("{}", series.total));
    } else {
        object.add("asDouble", Cell(point.total(), exact));
    }
    object.end();
}

std::string json_metric(const Metric &metric, const std::vector<Point> &points)
{
    std::string text;
    JsonObject object(text);
    object.add("name", metric.name).add("description", metric.help);
    object.add("unit", unit_of(metric.unit));
    JsonObject data(object.member(metric.kind == Kind::Histogram ? "histogram" : "sum"));
    output::append_json_array(data.member("dataPoints"), points, add_json_point);
    data.add("aggregationTemporality", cumulative);
    if (metric.kind != Kind::Histogram)
        data.add("isMonotonic", metric.kind == Kind::Counter);
    data.end();
    object.end();
    return text;
}

}  // namespace

MetricRequest encode_metrics(Form form, const MetricStore &store, uint64_t start_ns,
                             uint64_t now_ns,
                             const std::function<Attributes(const std::string &service)> &resource)
{
    MetricRequest request;
    std::map<std::string, Resource> resources;  // by service
    for (const auto &[name, family] : store.families()) {
        std::map<std::string, std::vector<Point>> points;
        for (const auto &[key, series] : family.series) {
            Point point = {series, family.metric.unit, start_ns, now_ns};
            const std::string *service = point.service();
            points[service ? *service : ""].push_back(point);
            request.points++;
        }
        for (const auto &[service, its_points] : points) {
            std::string &items = resources[service].items;
            if (form == Form::Json && !items.empty())
                items += ',';
            items +=
                (form == Form::Json ? json_metric : protobuf_metric)(family.metric, its_points);
        }
    }
    std::vector<Resource> all;
    for (auto &[service, its] : resources) {
        all.push_back(std::move(its));
        all.back().attributes = resource(service);
    }
    if (request.points)
        request.body = encode_request(form, Signal::Metrics, all);
    return request;
}

}  // namespace uscope::telemetry
