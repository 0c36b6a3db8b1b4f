// What is shown of a request and its response: with secrets hidden, and with what is unusual.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "output/cell.h"
#include "wire/exchange.h"
#include "wire/request.h"

namespace uscope::wire {

struct ShownStyle {
    std::vector<std::string> headers = {};  // the names of those that are shown, in any case
    bool secrets = false;                   // show secrets instead of ***
};

// An exchange, and the request by which it is filtered and summed up.
struct ShownExchange {
    Exchange exchange;
    Request request;

    // The URL, followed by what is unusual and by headers: "a/b (grpc status 5) [accept: */*]".
    std::string url_text(const ShownStyle &style) const;
    std::string bytes_text() const;  // of the response's body: "17", "~17" if inexact, "-"
    // The time from the request's first byte to the response's first; nullopt: no response.
    std::optional<uint64_t> first_byte_ns() const;
};
ShownExchange shown(Exchange &&exchange, const ShownStyle &style);

// {"host":"a","accept":"*/*"}; no value if the head has none of the headers. `head`: may be null.
output::Cell headers_cell(const Head *head, const ShownStyle &style);

}  // namespace uscope::wire
