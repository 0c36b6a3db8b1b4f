// HTTP requests of Go programs: which function to probe, and what to read there.
//
// Client: net/http.(*Transport).roundTrip(*Request) (*Response, error) is called once for each
// request that goes out, by whatever interface and protocol; of redirects for each hop.
// Server: net/http.serverHandler.ServeHTTP(ResponseWriter, *Request) is called once for each request
// that comes in, HTTP/1 and HTTP/2.
//
// Both are probed at their returns. The arguments are remembered from the entry as the pointers
// they are, and followed at the return, when their callers still hold them:
//
//     client   entry: rbx request             return: rax response, (rbx, rcx) error
//     server   entry: (rbx, rcx) writer, rdi request
//
// Where these structures have their members hardly changes; HttpLayout knows where it does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "go/build_info.h"

namespace uscope::go {

enum class HttpSide : uint8_t { Client, Server };

constexpr std::string_view http_function(HttpSide side)
{
    return side == HttpSide::Client ? "net/http.(*Transport).roundTrip"
                                    : "net/http.serverHandler.ServeHTTP";
}

// Values of an event, in the order of http_values().
namespace http_field {
enum : size_t {
    Goroutine,
    Latency,
    Method,
    Scheme,  // of a server's requests empty
    Host,
    Path,
    Query,
    EntryAddress,  // of the instruction where the entry was probed
    // Client: the dynamic type of the error; the text at its start, and one 16 bytes on; the error
    // within it (net.OpError), and the error within an error that is nothing else.
    // Server: of the writer.
    Type,
    Status,
    Bytes,
    Text,
    SecondText,
    InnerType,
    InnerText,
    InnerNumber,
    OnlyType,
    OnlyText,
    Http2Status = Text,  // server
    Http2Bytes,
};
}

struct HttpLayout {
    unsigned goroutine_id = 0;  // in runtime.g
    unsigned query = 0;         // in net/url.URL: RawQuery
    // In net/http.http2responseWriterState; 0: not known.
    unsigned http2_status = 0, http2_bytes = 0;
};

// Errors: not known for this version, which are.
Result<HttpLayout> http_layout(Version version);

// What trace would be given behind the function: a condition, format and values.
std::string http_values(HttpSide side, const HttpLayout &layout, uint64_t least_ns);

// The kind of a path: "/users/181/posts/0a7f" is "/users/*/posts/*".
std::string http_path_template(std::string_view path);

}  // namespace uscope::go
