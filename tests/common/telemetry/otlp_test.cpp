#include "telemetry/otlp.h"

#include <gtest/gtest.h>

namespace uscope::telemetry {
namespace {

constexpr const char *parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(Otlp, WritesJsonAsTheSpecificationAsks)
{
    Span span = {.start_ns = 5,
                 .end_ns = 9,
                 .name = "GET",
                 .kind = Span::Kind::Client,
                 .has_failed = true,
                 .traceparent = parent};
    Resource resource = {{{"process.pid", 7}}, {}};
    SpanEncoder(Form::Json)
        .add(resource.items, span,
             {{"text", "a\xff\"b"}, {"none", {}}, {"is", true}, {"half", 0.5}});
    size_t id = resource.items.find("\"spanId\":\"") + 10;
    resource.items.replace(id, 16, "ID");
    EXPECT_EQ(
        encode_request(Form::Json, Signal::Traces, {resource}),
        "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"process.pid\",\"value\":"
        "{\"intValue\":\"7\"}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"uscope\",\"version\":"
        "\"" USCOPE_VERSION
        "\"},\"spans\":[{\"traceId\":\"4bf92f3577b34da6a3ce929d0e0e4736\","
        "\"spanId\":\"ID\",\"parentSpanId\":\"00f067aa0ba902b7\",\"flags\":769,\"name\":\"GET\","
        "\"kind\":3,\"startTimeUnixNano\":\"5\",\"endTimeUnixNano\":\"9\",\"attributes\":["
        "{\"key\":\"text\",\"value\":{\"stringValue\":\"a\\uefff\\\"b\"}},"
        "{\"key\":\"is\",\"value\":{\"boolValue\":true}},"
        "{\"key\":\"half\",\"value\":{\"doubleValue\":0.50000000000000000}}],"
        "\"status\":{\"code\":2}}]}]}]}");
}

TEST(Otlp, ReadsHowManySpansWereRejected)
{
    using std::string_view_literals::operator""sv;
    EXPECT_EQ(rejected_items(""), 0u);
    EXPECT_EQ(rejected_items("{}"), 0u);
    EXPECT_EQ(rejected_items("{\"partialSuccess\":{\"rejectedSpans\":\"12\"}}"), 12u);
    EXPECT_EQ(rejected_items("\x0a\x03\x08\xac\x02"sv), 300u);
    EXPECT_EQ(rejected_items("\x0a\x00"sv), 0u);
    EXPECT_EQ(rejected_items("\x0a\x03\x08\xff"sv), 0u);
}

}  // namespace
}  // namespace uscope::telemetry
