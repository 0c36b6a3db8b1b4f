// The text of a net/http error, put together from what gohttp's programs read of it. They do not
// know the error's type, so they read its value in each way that a known type needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace uscope::wire {

struct ErrorParts {
    std::string type = {};              // "*net.OpError"
    std::optional<uint64_t> word = {};  // the first 8 bytes of its value
    // The first and the second 16 bytes of its value, read as strings.
    std::string_view text = {}, second_text = {};
    // If it is a net.OpError: the error inside it.
    std::string inner_type = {};
    std::string_view inner_text = {};          // its first 16 bytes, read as a string
    std::optional<int64_t> inner_number = {};  // errno, if it is an os.SyscallError
    std::optional<int64_t> inner_byte = {};    // its value, if it is a tls.alert
    std::string_view dns_text = {};            // the message, if it is a net.DNSError
    // If it only wraps another error: that error.
    std::string only_type = {};
    std::string_view only_text = {};
    // If the wrapped error is a net.OpError: the error inside it.
    std::string only_inner_type = {};
    std::optional<int64_t> only_inner_byte = {};
    // If it is a tls.CertificateVerificationError: the error inside it, with a word and a string of
    // its value.
    std::string checked_type = {};
    std::optional<int64_t> checked_word = {};
    std::string_view checked_text = {};
};

// Returns the text that Go's Error() would return, without network addresses: "dial tcp: connect:
// connection refused". For an unknown type, returns the type's name.
std::string error_text(const ErrorParts &parts);

}  // namespace uscope::wire
