#include "telemetry/endpoint.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace uscope::telemetry {
namespace {

constexpr std::string_view path = "/v1/traces";

std::string parsed(std::string_view url)
{
    auto endpoint = parse_endpoint(url, path);
    return endpoint ? endpoint->url() : endpoint.error().text;
}

TEST(Endpoint, TakesThePortAndThePathOfTheUrl)
{
    EXPECT_EQ(parsed("http://collector"), "http://collector:4318/v1/traces");
    EXPECT_EQ(parsed("http://collector:80/"), "http://collector:80/v1/traces");
    EXPECT_EQ(parsed("http://10.0.0.1:8428/opentelemetry/v1/traces"),
              "http://10.0.0.1:8428/opentelemetry/v1/traces");
    EXPECT_EQ(parsed("http://[::1]:4318"), "http://[::1]:4318/v1/traces");
    EXPECT_EQ(parsed("http://[::1]"), "http://[::1]:4318/v1/traces");
}

TEST(Endpoint, HasOneFormOfAName)
{
    EXPECT_EQ(parsed("http://Collector.Example.COM.:80/Path"),
              "http://collector.example.com:80/Path");
    EXPECT_EQ(parsed("http://LOCALHOST."), "http://localhost:4318/v1/traces");
    EXPECT_EQ(parsed("http://[FE80::1]"), "http://[fe80::1]:4318/v1/traces");
}

TEST(Endpoint, RefusesWhatItCannotSendTo)
{
    EXPECT_NE(parsed("https://collector").find("does not speak TLS"), std::string::npos);
    for (const char *url : {"http://", "http://:4318", "http://a:0", "http://a:65536", "http://a:b",
                            "grpc://a", "http://a\r\nX: y", "http://user@host"})
        EXPECT_FALSE(parse_endpoint(url, path)) << url;
}

TEST(Endpoint, FollowsTheEnvironment)
{
    setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://all:1/prefix/", 1);
    EXPECT_EQ(endpoint_of_environment("TRACES", path)->url(), "http://all:1/prefix/v1/traces");
    setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://traces:2", 1);
    EXPECT_EQ(endpoint_of_environment("TRACES", path)->url(), "http://traces:2/");
    unsetenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    unsetenv("OTEL_EXPORTER_OTLP_ENDPOINT");
    EXPECT_EQ(endpoint_of_environment("TRACES", path)->url(), "http://localhost:4318/v1/traces");
    setenv("OTEL_EXPORTER_OTLP_HEADERS", "a=b%20c, d=e", 1);
    EXPECT_EQ(*headers_of_environment("TRACES"), (Pairs{{"a", "b c"}, {"d", "e"}}));
    setenv("OTEL_EXPORTER_OTLP_HEADERS", "a=b%0d%0aX: y", 1);
    EXPECT_FALSE(headers_of_environment("TRACES"));
    unsetenv("OTEL_EXPORTER_OTLP_HEADERS");
}

TEST(Endpoint, ParsesPairs)
{
    EXPECT_EQ(parse_pairs(" a = b%2Cc ,d=,=e,f,g=100%"),
              (Pairs{{"a", "b,c"}, {"d", ""}, {"g", "100%"}}));
}

}  // namespace
}  // namespace uscope::telemetry
