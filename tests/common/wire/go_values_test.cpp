#include "wire/go_values.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "wire/go_error.h"
#include "wire/request.h"

namespace uscope::wire {
namespace {

// Returns the offsets of members of net/http's structures, without that of the member `missing`.
Offsets offsets(std::string_view http2_package, std::string_view missing = "")
{
    return [=](std::string_view package, std::string_view structure,
               std::string_view member) -> std::optional<unsigned> {
        bool is_http2 = structure.ends_with("esponseWriterState");
        if (member == missing || (is_http2 && package != http2_package))
            return std::nullopt;
        return is_http2 ? 72 : 8;
    };
}

TEST(GoHttp, AsksForAsManyValuesAsItNames)
{
    auto count = [](const std::string &text) { return std::count(text.begin(), text.end(), '%'); };
    for (const char *package : {"net/http", "net/http/internal/http2", "golang.org/x/net/http2"}) {
        auto client = go_values(Side::Client, Convention::Registers, offsets(package), 0);
        auto server = go_values(Side::Server, Convention::Registers, offsets(package), 0);
        ASSERT_TRUE(client && server);
        EXPECT_EQ(count(*client), long{http_field::ClientFields});
        EXPECT_EQ(count(*server), long{http_field::ServerFields});
        EXPECT_NE(server->find("+ 72)"), std::string::npos) << package;
    }
}

TEST(GoHttp, MayAlsoAskForTraceparent)
{
    for (GoMaps maps : {GoMaps::Buckets, GoMaps::Groups}) {
        auto client = go_values(Side::Client, Convention::Registers, offsets("net/http"), 0, maps);
        ASSERT_TRUE(client);
        EXPECT_EQ(std::count(client->begin(), client->end(), '%'),
                  long{http_field::ClientFields} + 1);
        EXPECT_TRUE(client->ends_with(", 55)")) << *client;
    }
}

TEST(GoHttp, AProgramMayBeWithoutHttp2)
{
    auto values = go_values(Side::Server, Convention::Registers, offsets("none"), 0);
    ASSERT_TRUE(values.has_value());
    EXPECT_TRUE(values->ends_with(", -1, -1, -1, -1, -1, -1")) << *values;
}

TEST(GoHttp, SaysWhatIsNotKnown)
{
    auto values = go_values(Side::Client, Convention::Registers, offsets("net/http", "RawPath"), 0);
    ASSERT_FALSE(values);
    EXPECT_EQ(values.error().text,
              "its type information does not describe RawPath in a url.URL of net/url");
}

TEST(GoHttp, AsksForSlowCallsOnly)
{
    auto values = go_values(Side::Client, Convention::Registers, offsets("net/http"), 5000);
    ASSERT_TRUE(values.has_value());
    EXPECT_TRUE(values->starts_with("($latency >= 5000) \"")) << *values;
}

TEST(GoHttp, APathCanStandInAUrlAgain)
{
    EXPECT_EQ(encoded_path("/a/b;c=1,d:e@f+g~h(i)!$&'*"), "/a/b;c=1,d:e@f+g~h(i)!$&'*");
    EXPECT_EQ(encoded_path("/a b?c#d%e\n\xc3\xa9\"<>"), "/a%20b%3Fc%23d%25e%0A%C3%A9%22%3C%3E");
    EXPECT_EQ(encoded_path("/a[1]"), "/a%5B1%5D");
    EXPECT_EQ(encoded_path(""), "");
}

TEST(GoHttp, APathIsSentAsItWasWrittenIfItCanBe)
{
    EXPECT_EQ(sent_path("/a/b c", "/a%2Fb%20c"), "/a%2Fb%20c");
    EXPECT_EQ(sent_path("/a[1]", "/a[1]"), "/a[1]");
    EXPECT_EQ(sent_path("/new", "/o%6Cd"), "/new") << "another path was put there";
    EXPECT_EQ(sent_path("/\xc3\xa9", "/\xc3\xa9"), "/%C3%A9") << "cannot be sent";
    EXPECT_EQ(sent_path("/a%", "/a%"), "/a%25");
    EXPECT_EQ(sent_path("/a%2", "/a%2"), "/a%252");
    EXPECT_EQ(sent_path("", ""), "/");
    EXPECT_EQ(sent_path("*", ""), "*");
}

TEST(GoHttp, AUrlMaySayWhatIsSent)
{
    EXPECT_EQ(opaque_path("//host/a%2Fb"), "/a%2Fb");
    EXPECT_EQ(opaque_path("//host"), "/");
    EXPECT_EQ(opaque_path("*"), "*");
}

TEST(GoHttpError, SaysWhatGoSays)
{
    EXPECT_EQ(error_text({.type = "*errors.errorString", .text = "EOF"}), "EOF");
    EXPECT_EQ(error_text({.type = "context.deadlineExceededError"}), "context deadline exceeded");
    EXPECT_EQ(error_text({.type = "http.nothingWrittenError",
                          .only_type = "*errors.errorString",
                          .only_text = "closed"}),
              "closed");
    EXPECT_EQ(error_text({.type = "http.transportReadFromServerError",
                          .only_type = "*errors.errorString",
                          .only_text = "EOF"}),
              "net/http: Transport failed to read from server: EOF");
}

TEST(GoHttpError, FollowsErrorsOfTheNetwork)
{
    ErrorParts parts = {.type = "*net.OpError",
                        .text = "dial",
                        .second_text = "tcp",
                        .inner_type = "*os.SyscallError",
                        .inner_text = "connect",
                        .inner_number = ECONNREFUSED};
    EXPECT_EQ(error_text(parts), "dial tcp: connect: connection refused");
    parts.inner_number.reset();
    EXPECT_EQ(error_text(parts), "dial tcp: *os.SyscallError");
    parts.inner_type = "*net.DNSError";
    parts.dns_text = "no such host";
    EXPECT_EQ(error_text(parts), "dial tcp: lookup: no such host");
    parts.inner_type = "*net.timeoutError";
    EXPECT_EQ(error_text(parts), "dial tcp: i/o timeout");
}

TEST(GoHttpError, TellAlertsOfTls)
{
    ErrorParts parts = {.type = "*net.OpError", .text = "remote error", .inner_type = "tls.alert"};
    parts.inner_byte = 70;
    EXPECT_EQ(error_text(parts), "remote error: tls: protocol version not supported");
    parts.inner_byte = 99;
    EXPECT_EQ(error_text(parts), "remote error: tls: alert(99)");
    parts.inner_byte.reset();
    EXPECT_EQ(error_text(parts), "remote error: tls.alert");
    EXPECT_EQ(error_text({.type = "*tls.permanentError",
                          .only_type = "*net.OpError",
                          .only_text = "remote error",
                          .only_inner_type = "tls.alert",
                          .only_inner_byte = 116}),
              "remote error: tls: certificate required");
}

TEST(GoHttpError, HaveNoNetworkSometimes)
{
    EXPECT_EQ(error_text({.type = "*net.OpError",
                          .text = "remote error",
                          .inner_type = "*errors.errorString",
                          .inner_text = "tls: bad certificate"}),
              "remote error: tls: bad certificate");
}

TEST(GoHttpError, KnowsThoseOfHttp2UnderBothNames)
{
    for (const char *type : {"http.http2StreamError", "http2.StreamError"}) {
        EXPECT_EQ(error_text({.type = type, .word = 2ul << 32 | 7}),
                  "stream error: stream ID 7; INTERNAL_ERROR");
    }
    EXPECT_EQ(error_text({.type = "http2.ConnectionError", .word = 1}),
              "connection error: PROTOCOL_ERROR");
    EXPECT_EQ(
        error_text({.type = "http2.GoAwayError", .word = 99ul << 32 | 5}),
        "http2: server sent GOAWAY and closed the connection; LastStreamID=5, ErrCode=code 99");
}

TEST(GoHttpError, SaysWhatIsWrongWithACertificate)
{
    ErrorParts parts = {.type = "*tls.CertificateVerificationError",
                        .checked_type = "x509.UnknownAuthorityError"};
    std::string before = "tls: failed to verify certificate: x509: ";
    EXPECT_EQ(error_text(parts), before + "certificate signed by unknown authority");
    parts.checked_type = "x509.CertificateInvalidError";
    parts.checked_word = 1;
    EXPECT_EQ(error_text(parts), before + "certificate has expired or is not yet valid");
    parts.checked_word = 2;
    EXPECT_EQ(error_text(parts), before + "certificate is not valid");
    parts.checked_type = "x509.HostnameError";
    parts.checked_text = "example.org";
    EXPECT_EQ(error_text(parts), before + "certificate is not valid for example.org");
}

TEST(GoHttpError, OfAnUnknownTypeIsTheType)
{
    EXPECT_EQ(error_text({.type = "*mine.Error", .text = "perhaps no text"}), "*mine.Error");
    EXPECT_EQ(error_text({}), "an error of unknown type");
}

}  // namespace
}  // namespace uscope::wire
