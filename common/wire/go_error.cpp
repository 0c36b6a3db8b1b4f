// Knows the error types of net/http, net, crypto/tls, x509 and HTTP/2, and how each words its text.
#include "wire/go_error.h"

#include <array>

#include "base/format.h"
#include "go/error_text.h"
#include "wire/stream_errors.h"

namespace uscope::wire {
namespace {

// Does an error of this type only hold another error?
bool is_only_a_wrapper(std::string_view type)
{
    return type == "http.nothingWrittenError" || type == "*tls.permanentError" ||
           type == "*tls.permamentError";  // before Go 1.16
}

std::string simple_text(const std::string &type, std::string_view text)
{
    if (go::begins_with_error_text(type))
        return std::string(text);
    if (std::string_view fixed = go::fixed_error_text(type); !fixed.empty())
        return std::string(fixed);
    return type.empty() ? "an error of unknown type" : type;
}

// Why a server's certificate was refused; "" for an error of another type.
std::string certificate_text(std::string_view type, std::optional<int64_t> word,
                             std::string_view text)
{
    constexpr int64_t expired = 1;
    if (type == "x509.UnknownAuthorityError")
        return "x509: certificate signed by unknown authority";
    if (type == "x509.CertificateInvalidError" && word == expired)
        return "x509: certificate has expired or is not yet valid";
    if (type == "x509.CertificateInvalidError")
        return "x509: certificate is not valid";
    if (type == "x509.HostnameError")
        return fmt::format("x509: certificate is not valid for {}",
                           text.empty() ? "this host" : text);
    return "";
}

// The text of an HTTP/2 error; "" for others. Such errors begin with the stream's number and the
// code, or with the code alone.
std::string http2_text(const ErrorParts &parts)
{
    auto is = [&](std::string_view name) {
        return parts.type == fmt::format("http.http2{}", name) ||  // before Go 1.27
               parts.type == fmt::format("http2.{}", name);
    };
    if (!parts.word)
        return "";
    auto first = static_cast<uint32_t>(*parts.word), second = uint32_t(*parts.word >> 32);
    if (is("StreamError"))
        return fmt::format("stream error: stream ID {}; {}", first, http2_error_name(second));
    if (is("ConnectionError"))
        return fmt::format("connection error: {}", http2_error_name(first));
    if (is("GoAwayError")) {
        return fmt::format(
            "http2: server sent GOAWAY and closed the connection; LastStreamID={}, ErrCode={}",
            first, http2_error_name(second));
    }
    return "";
}

// The alerts of RFC 8446, section 6, as crypto/tls words them.
std::string alert_text(uint64_t alert)
{
    static constexpr std::array<std::pair<uint8_t, std::string_view>, 33> texts = {{
        {0, "close notify"},
        {10, "unexpected message"},
        {20, "bad record MAC"},
        {21, "decryption failed"},
        {22, "record overflow"},
        {30, "decompression failure"},
        {40, "handshake failure"},
        {42, "bad certificate"},
        {43, "unsupported certificate"},
        {44, "revoked certificate"},
        {45, "expired certificate"},
        {46, "unknown certificate"},
        {47, "illegal parameter"},
        {48, "unknown certificate authority"},
        {49, "access denied"},
        {50, "error decoding message"},
        {51, "error decrypting message"},
        {60, "export restriction"},
        {70, "protocol version not supported"},
        {71, "insufficient security level"},
        {80, "internal error"},
        {86, "inappropriate fallback"},
        {90, "user canceled"},
        {100, "no renegotiation"},
        {109, "missing extension"},
        {110, "unsupported extension"},
        {111, "certificate unobtainable"},
        {112, "unrecognized name"},
        {113, "bad certificate status response"},
        {114, "bad certificate hash value"},
        {115, "unknown PSK identity"},
        {116, "certificate required"},
        {120, "no application protocol"},
    }};
    for (auto [number, text] : texts)
        if (number == alert)
            return fmt::format("tls: {}", text);
    return fmt::format("tls: alert({})", alert);
}

// The text of a net.OpError.
std::string operation_text(const ErrorParts &parts)
{
    std::string inner;
    if (parts.inner_type == "*os.SyscallError" && parts.inner_number)
        inner = fmt::format("{}: {}", parts.inner_text, go::system_error_text(*parts.inner_number));
    else if (parts.inner_type == "tls.alert" && parts.inner_byte)
        inner = alert_text(*parts.inner_byte);
    else if (parts.inner_type == "*net.DNSError")
        inner = fmt::format("lookup: {}", parts.dns_text);
    else
        inner = simple_text(parts.inner_type, parts.inner_text);
    return fmt::format("{}{}{}: {}", parts.text, parts.second_text.empty() ? "" : " ",
                       parts.second_text, inner);
}

}  // namespace

std::string error_text(const ErrorParts &parts)
{
    if (parts.type == "*net.OpError")
        return operation_text(parts);
    if (is_only_a_wrapper(parts.type) && parts.only_type == "*net.OpError")
        return fmt::format("{}: {}", parts.only_text,
                           parts.only_inner_type == "tls.alert" && parts.only_inner_byte
                               ? alert_text(*parts.only_inner_byte)
                               : parts.only_inner_type);
    if (is_only_a_wrapper(parts.type))
        return simple_text(parts.only_type, parts.only_text);
    if (parts.type == "http.transportReadFromServerError") {
        return fmt::format("net/http: Transport failed to read from server: {}",
                           simple_text(parts.only_type, parts.only_text));
    }
    if (parts.type == "*tls.CertificateVerificationError")
        return "tls: failed to verify certificate: " +
               certificate_text(parts.checked_type, parts.checked_word, parts.checked_text);
    if (parts.type == "tls.RecordHeaderError")
        return fmt::format("tls: {}", parts.text);
    if (std::string text = certificate_text(parts.type, {}, ""); !text.empty())
        return text;  // before Go 1.20
    if (std::string text = http2_text(parts); !text.empty())
        return text;
    return simple_text(parts.type, parts.text);
}

}  // namespace uscope::wire
