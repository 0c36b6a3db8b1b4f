#include "telemetry/span_metrics.h"

#include <gtest/gtest.h>

namespace uscope::telemetry {
namespace {

void add(MetricStore &store, uint64_t ns, const Attributes &attributes)
{
    Span span;
    span.start_ns = 100;
    span.end_ns = 100 + ns;
    Labels labels;
    SpanMetrics::add(store, span, attributes, "shop", labels);
}

TEST(SpanMetrics, AreCumulativeInSeconds)
{
    MetricStore store(10);
    Attributes attributes = {{"http.request.method", "GET"}, {"url.path", "/not-a-label"}};
    add(store, 5'000'000, attributes);  // a bound belongs to its bucket
    add(store, 5'000'001, attributes);
    add(store, 11'000'000'000, attributes);
    std::string text = metric_text(store);
    std::string name = "http_server_request_duration_seconds";
    std::string labels = "service_name=\"shop\",http_request_method=\"GET\"";
    EXPECT_TRUE(text.starts_with("# HELP " + name));
    for (const std::string &line :
         {"_bucket{" + labels + ",le=\"0.005\"} 1\n", "_bucket{" + labels + ",le=\"0.01\"} 2\n",
          "_bucket{" + labels + ",le=\"10\"} 2\n", "_bucket{" + labels + ",le=\"+Inf\"} 3\n",
          "_sum{" + labels + "} 11.010000001\n", "_count{" + labels + "} 3\n"})
        EXPECT_NE(text.find("\n" + name + line), std::string::npos) << line << text;
    EXPECT_EQ(text.find("not-a-label"), std::string::npos);
}

TEST(SpanMetrics, AreBounded)
{
    MetricStore store(2);
    for (int i = 0; i < 100; i++)
        add(store, 1, {{"db.system.name", "mysql"}, {"db.query.summary", std::to_string(i)}});
    EXPECT_EQ(store.others(), 98u);
    EXPECT_NE(metric_text(store).find("_count{service_name=\"other\",db_system_name=\"other\",db_"
                                      "query_summary=\"other\"} 98\n"),
              std::string::npos);
}

}  // namespace
}  // namespace uscope::telemetry
