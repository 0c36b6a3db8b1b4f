// What an error of net/http says, from the parts of it that gohttp's programs read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace uscope::go {

struct ErrorParts {
    std::string type = {};                         // "*net.OpError"
    std::string_view text = {}, second_text = {};  // the strings that it may begin with
    std::string inner_type = {};                   // of the error within a net.OpError
    std::string_view inner_text = {};              // the string that this begins with
    std::optional<int64_t> inner_number = {};      // of the system call's error within that
    std::string only_type = {};  // of the error within an error that is nothing else
    std::string_view only_text = {};
};

// As Go's Error() has it, but for addresses: "dial tcp: connect: connection refused". Of types
// that are not known: the type.
std::string http_error_text(const ErrorParts &parts);

}  // namespace uscope::go
