// What an error of net/http says, from the parts of it that gohttp's programs read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace uscope::http {

struct ErrorParts {
    std::string type = {};                         // "*net.OpError"
    std::optional<uint64_t> word = {};             // its first 8 bytes
    std::string_view text = {}, second_text = {};  // the strings that it may begin with
    std::string inner_type = {};                   // of the error within a net.OpError
    std::string_view inner_text = {};              // the string that this begins with
    std::optional<int64_t> inner_number = {};      // of the system call's error within that
    std::optional<int64_t> inner_byte = {};        // the byte that it is
    std::string_view dns_text = {};                // of a net.DNSError within it
    std::string only_type = {};  // of the error within an error that is nothing else
    std::string_view only_text = {};
    std::string only_inner_type = {};  // of the error within that, if it is a net.OpError
    std::optional<int64_t> only_inner_byte = {};
    // Of what is wrong with a certificate: the type, and what is behind the pointer that it begins
    // with.
    std::string checked_type = {};
    std::optional<int64_t> checked_word = {};
    std::string_view checked_text = {};
};

// As Go's Error() has it, but for addresses: "dial tcp: connect: connection refused". Of types
// that are not known: the type.
std::string error_text(const ErrorParts &parts);

}  // namespace uscope::http
