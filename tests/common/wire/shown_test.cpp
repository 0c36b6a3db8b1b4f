#include "wire/shown.h"

#include <gtest/gtest.h>

#include "base/format.h"

namespace uscope::wire {
namespace {

Exchange exchange_of(std::string_view target)
{
    Exchange exchange;
    exchange.request =
        *parse_head(fmt::format("GET {} HTTP/1.1\r\nHost: a.example\r\n"
                                "Cookie: id=5\r\nReferer: http://b/?token=x\r\n\r\n",
                                target));
    exchange.begin_ns = 100;
    exchange.end_ns = 180;
    return exchange;
}

ShownExchange shown(const char *target, const ShownStyle &style = {})
{
    return wire::shown(exchange_of(target), style);
}

std::string json(const output::Cell &cell)
{
    return std::string(cell.is_none() ? "none" : cell.text());
}

TEST(Shown, IsTheUrlWithoutSecrets)
{
    EXPECT_EQ(shown("/a?token=x").request.url, "a.example/a?token=***");
    EXPECT_EQ(shown("/a?token=x", {.secrets = true}).request.url, "a.example/a?token=x");
    EXPECT_EQ(shown("http://me:pw@b.example/").request.host, "b.example");
    EXPECT_EQ(shown("*").request.url, "a.example *");
}

TEST(Shown, SaysThatTheUrlIsCut)
{
    Exchange cut = exchange_of("/long");
    cut.request.is_cut = true;
    EXPECT_EQ(wire::shown(std::move(cut), {}).request.url, "a.example/long...");
}

TEST(Shown, HasTheTimesAndSizesThatWereSeen)
{
    ShownExchange none = shown("/");
    EXPECT_EQ(none.request.latency_ns, 80u);
    EXPECT_FALSE(none.request.status || none.first_byte_ns());
    EXPECT_EQ(none.bytes_text(), "-");

    Exchange answered = exchange_of("/");
    answered.response = parse_head("HTTP/1.1 200 OK\r\n\r\n");
    answered.first_byte_ns = 130;
    answered.response_bytes = 17;
    answered.is_response_exact = false;
    ShownExchange some = wire::shown(std::move(answered), {});
    EXPECT_EQ(some.request.status, 200);
    EXPECT_EQ(some.first_byte_ns(), 30u);
    EXPECT_EQ(some.bytes_text(), "~17");
}

TEST(Shown, SaysWhatIsUnusual)
{
    Exchange upgraded = exchange_of("/ws");
    upgraded.response = parse_head("HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\n");
    EXPECT_EQ(wire::shown(std::move(upgraded), {}).url_text({}),
              "a.example/ws (upgraded to websocket)");
    Exchange failed = exchange_of("/rpc");
    failed.grpc_status = 5;
    failed.error = "reset";
    EXPECT_EQ(wire::shown(std::move(failed), {}).url_text({}),
              "a.example/rpc (grpc status 5) (reset)");
}

TEST(Shown, HidesSecretsOfHeaders)
{
    ShownStyle style = {.headers = {"Cookie", "Referer", "Accept"}};
    ShownExchange row = shown("/", style);
    const Head &head = row.exchange.request;
    EXPECT_EQ(row.url_text(style), "a.example/ [cookie: ***] [referer: http://b/?token=***]");
    EXPECT_EQ(json(headers_cell(&head, style)),
              R"({"cookie":"***","referer":"http://b/?token=***"})");
    style.secrets = true;
    EXPECT_EQ(json(headers_cell(&head, style)),
              R"({"cookie":"id=5","referer":"http://b/?token=x"})");
    EXPECT_EQ(json(headers_cell(nullptr, style)), "none");
    EXPECT_EQ(json(headers_cell(&head, {})), "none");
}

}  // namespace
}  // namespace uscope::wire
