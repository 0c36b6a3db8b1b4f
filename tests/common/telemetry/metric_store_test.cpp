#include "telemetry/metric_store.h"

#include <gtest/gtest.h>

#include "telemetry/metric_text.h"
#include "telemetry/otlp_metrics.h"

namespace uscope::telemetry {
namespace {

constexpr Metric counter = {"uscope.things", Metric::Kind::Counter, Metric::Unit::None, "Things."};
constexpr Metric sum = {"uscope.sums", Metric::Kind::Sum, Metric::Unit::None, "Sums."};
constexpr Metric pause = {"uscope.pause", Metric::Kind::Counter, Metric::Unit::Seconds, "Pauses."};
constexpr Metric duration = {"uscope.call.duration", Metric::Kind::Histogram, Metric::Unit::Seconds,
                             "Durations."};
constexpr Metric value = {"uscope.value", Metric::Kind::Histogram, Metric::Unit::None, "Values."};

output::Histogram histogram(uint64_t parts,
                            std::initializer_list<std::pair<unsigned, uint64_t>> all)
{
    output::Histogram histogram(parts);
    for (auto [slot, number] : all)
        histogram.add(slot, {1, number, output::slot_range(slot).high});
    return histogram;
}

bool has(const std::string &text, const std::string &line)
{
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(MetricStore, WritesCounters)
{
    MetricStore store(10);
    store.add(counter, {{"pid", "7"}, {"$entry(fd)", "a\"b\\c\nd\xff"}}, 3, 3);
    store.add(counter, {{"pid", "7"}, {"$entry(fd)", "a\"b\\c\nd\xff"}}, 4, 4);
    store.add(counter, {}, 1, 1);
    store.add(pause, {}, 1'250'000'000, 1);
    store.add(sum, {}, -5, 1);
    std::string text = metric_text(store);
    EXPECT_TRUE(has(text, "# HELP uscope_things_total Things.\n# TYPE uscope_things_total counter"))
        << text;
    EXPECT_TRUE(
        has(text, "uscope_things_total{pid=\"7\",entry_fd=\"a\\\"b\\\\c\\nd\xee\xbf\xbf\"} 7"))
        << text;
    EXPECT_TRUE(has(text, "uscope_things_total 1"));
    EXPECT_TRUE(has(text, "uscope_pause_seconds_total 1.250000000"));
    EXPECT_TRUE(has(text, "# TYPE uscope_sums gauge\nuscope_sums -5"));
    std::string open = metric_text(store, TextForm::OpenMetrics);
    EXPECT_TRUE(has(open,
                    "# TYPE uscope_pause_seconds counter\n# UNIT uscope_pause_seconds seconds\n"
                    "uscope_pause_seconds_total 1.250000000"))
        << open;
    EXPECT_TRUE(open.ends_with("\n# EOF\n"));
}

// What is set stays: without a limit, and when series that have ended are dropped.
TEST(MetricStore, SetsTotals)
{
    MetricStore store(1);
    store.add(counter, {{"pid", "7"}}, 1, 1);
    store.set(counter, {{"why", "x"}}, 5);
    store.set(counter, {{"why", "x"}}, 6);
    store.begin_round();
    store.drop_ended();
    store.add(counter, {{"pid", "8"}}, 1, 1);
    store.add(counter, {{"pid", "9"}}, 1, 1);
    std::string text = metric_text(store);
    EXPECT_TRUE(has(text, "uscope_things_total{why=\"x\"} 6")) << text;
    EXPECT_TRUE(has(text, "uscope_things_total{pid=\"8\"} 1")) << text;
    EXPECT_TRUE(has(text, "uscope_things_total{pid=\"other\"} 1")) << text;
    EXPECT_FALSE(has(text, "uscope_things_total{pid=\"7\"} 1")) << text;
}

// Names that Prometheus takes for others: "le" is that of buckets, "__" begins its own.
TEST(MetricStore, LabelsHaveNamesOfTheirOwn)
{
    MetricStore store(10);
    store.add_histogram(value, {{"a_2", "1"}, {"a", "2"}, {"a", "3"}, {"le", "4"}, {"__b", "5"}},
                        histogram(1, {{0, 0}}), 1);
    std::string text = metric_text(store);
    EXPECT_TRUE(has(text, "uscope_value_count{a_2=\"1\",a=\"2\",a_3=\"3\",le_3=\"4\",_b=\"5\"} 1"))
        << text;
}

// The bounds include the greatest value of a slot, and no value of the next one.
TEST(MetricStore, KernelHistogramsKeepTheirExactCounts)
{
    MetricStore store(10);
    store.add_histogram(value, {}, histogram(1, {{0, 0}, {31, 31}, {32, 33}}), 1);
    std::string text = metric_text(store);
    EXPECT_TRUE(has(text, "uscope_value_bucket{le=\"-1\"} 0\nuscope_value_bucket{le=\"0\"} 1"));
    EXPECT_TRUE(has(text, "uscope_value_bucket{le=\"31\"} 2\nuscope_value_bucket{le=\"63\"} 3"));
    EXPECT_TRUE(has(text,
                    "uscope_value_bucket{le=\"+Inf\"} 3\nuscope_value_sum 64\n"
                    "uscope_value_count 3"))
        << text;
    store.add_histogram(duration, {{"a", "b"}}, histogram(1000, {{1, 1234}, {3, 3999}}), 1000);
    text = metric_text(store);
    EXPECT_TRUE(has(text, "uscope_call_duration_seconds_bucket{a=\"b\",le=\"1.999e-06\"} 1"))
        << text;
    EXPECT_TRUE(has(text, "uscope_call_duration_seconds_bucket{a=\"b\",le=\"3.999e-06\"} 2"))
        << text;
    EXPECT_TRUE(has(text, "uscope_call_duration_seconds_sum{a=\"b\"} 0.000005233")) << text;
}

TEST(MetricStore, NegativeValuesMakeTheSumUnknown)
{
    MetricStore store(10);
    store.add_histogram(value, {}, histogram(1, {{HISTOGRAM_NEGATIVE, 0}, {5, 5}}), 1);
    std::string text = metric_text(store);
    EXPECT_TRUE(has(text, "uscope_value_bucket{le=\"-1\"} 1"));
    EXPECT_TRUE(has(text, "uscope_value_sum NaN\nuscope_value_count 2")) << text;
}

TEST(MetricStore, LinearBucketsKeepTheirBounds)
{
    MetricStore store(10);
    store.add_linear(value, {}, {-5, 20, 10}, {1, 2, 4, 8, 16});
    std::string text = metric_text(store);
    EXPECT_TRUE(has(text,
                    "uscope_value_bucket{le=\"-6\"} 1\nuscope_value_bucket{le=\"4\"} 3\n"
                    "uscope_value_bucket{le=\"14\"} 7\nuscope_value_bucket{le=\"19\"} 15\n"
                    "uscope_value_bucket{le=\"+Inf\"} 31\nuscope_value_sum NaN"))
        << text;
}

TEST(MetricStore, IsBounded)
{
    MetricStore store(2);
    for (int i = 0; i < 100; i++)
        store.add(counter, {{"probe", "x"}, {"key", std::to_string(i)}}, 2, 2);
    EXPECT_EQ(store.others(), 196u);
    EXPECT_TRUE(has(metric_text(store), "uscope_things_total{probe=\"x\",key=\"other\"} 196"))
        << metric_text(store);
}

TEST(MetricStore, DropsWhatHasEnded)
{
    MetricStore store(1);
    store.begin_round();
    store.add(counter, {{"pid", "1"}}, 1, 1);
    store.add(counter, {{"pid", "2"}}, 1, 1);  // other
    store.drop_ended();
    store.begin_round();
    store.drop_ended();
    store.add(counter, {{"pid", "3"}}, 5, 5);
    std::string text = metric_text(store);
    EXPECT_FALSE(has(text, "uscope_things_total{pid=\"1\"} 1"));
    EXPECT_TRUE(has(text, "uscope_things_total{pid=\"3\"} 5"));
    EXPECT_TRUE(has(text, "uscope_things_total{pid=\"other\"} 1"));
    store.reset();
    EXPECT_TRUE(has(metric_text(store), "uscope_things_total{pid=\"3\"} 0"));
}

TEST(MetricStore, NamesOfLabelsAreUnique)
{
    MetricStore store(1);
    store.add(counter, {{"a.b", "1"}, {"a-b", "2"}, {"3", "3"}, {"*", "4"}}, 1, 1);
    EXPECT_TRUE(
        has(metric_text(store), "uscope_things_total{a_b=\"1\",a_b_1=\"2\",_3=\"3\",_=\"4\"} 1"))
        << metric_text(store);
}

TEST(MetricStore, WritesOtlp)
{
    MetricStore store(10);
    store.add(counter, {{"service.name", "shop"}, {"key", "a"}}, 3, 3);
    store.add_histogram(duration, {}, histogram(1'000'000, {{1, 1'500'000}}), 1'000'000);
    auto resource = [](const std::string &service) -> Attributes {
        return {{"service.name", std::string(service)}};
    };
    auto request = encode_metrics(Form::Json, store, 5, 9, resource);
    EXPECT_EQ(request.points, 2u);
    EXPECT_TRUE(request.body.starts_with("{\"resourceMetrics\":[")) << request.body;
    for (const char *part :
         {"{\"stringValue\":\"shop\"}}]},\"scopeMetrics\":",
          "{\"name\":\"uscope.things\",\"description\":\"Things.\",\"unit\":\"\",\"sum\":{"
          "\"dataPoints\":[{\"attributes\":[{\"key\":\"key\",\"value\":{\"stringValue\":\"a\"}}],"
          "\"startTimeUnixNano\":\"5\",\"timeUnixNano\":\"9\",\"asInt\":\"3\"}],"
          "\"aggregationTemporality\":2,\"isMonotonic\":true}}",
          "\"unit\":\"s\",\"histogram\":{", "\"count\":\"1\",\"sum\":0.00150000000000000,",
          "\"explicitBounds\":[0.000999999,0.001999999,0.003999999,"})
        EXPECT_NE(request.body.find(part), std::string::npos) << part << request.body;
    EXPECT_EQ(encode_metrics(Form::Json, MetricStore(1), 5, 9, resource).body, "");
}

}  // namespace
}  // namespace uscope::telemetry
