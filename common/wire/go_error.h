// The text of a net/http error, put together from the parts that gohttp's programs read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace uscope::wire {

struct ErrorParts {
    std::string type = {};                         // "*net.OpError"
    std::optional<uint64_t> word = {};             // its first 8 bytes
    std::string_view text = {}, second_text = {};  // strings that it may begin with
    // The error inside a net.OpError, read in several ways.
    std::string inner_type = {};
    std::string_view inner_text = {};          // the string that it begins with
    std::optional<int64_t> inner_number = {};  // errno, if it is an os.SyscallError
    std::optional<int64_t> inner_byte = {};    // its value, if it is a tls.alert
    std::string_view dns_text = {};            // the message, if it is a net.DNSError
    // The error inside an error that is only a wrapper.
    std::string only_type = {};
    std::string_view only_text = {};
    // The error inside that one, if that one is a net.OpError.
    std::string only_inner_type = {};
    std::optional<int64_t> only_inner_byte = {};
    // The error inside a tls.CertificateVerificationError: its type, a word and a string of it.
    std::string checked_type = {};
    std::optional<int64_t> checked_word = {};
    std::string_view checked_text = {};
};

// The text that Go's Error() returns, without addresses: "dial tcp: connect: connection refused".
// For an unknown type, the type's name.
std::string error_text(const ErrorParts &parts);

}  // namespace uscope::wire
