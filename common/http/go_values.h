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
// (Before Go 1.17 they are on the stack, in the same order.) A server's request is the handler's to
// change: of its method, host and URI it is remembered where they are, too.
//
// A handler that panics does not return. Its call ends where net/http's own deferred function is
// called, which recovers; that runs on the same goroutine, which serves one request at a time.
//
// Where the structures have their members the program says itself (go/structures.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uscope::http {

enum class Side : uint8_t { Client, Server };
enum class Convention : uint8_t { Stack, Registers };  // since Go 1.17

constexpr std::string_view go_function(Side side)
{
    return side == Side::Client ? "net/http.(*Transport).roundTrip"
                                : "net/http.serverHandler.ServeHTTP";
}

// At the entries of which a call of it has ended, too. A program has some of them: HTTP/2 was a
// part of net/http before Go 1.27, and is that of golang.org/x/net where the program says so.
std::vector<std::string_view> go_other_ends(Side side);

// The values of an event by their numbers, for what writes them (go_values()) and what reads them
// (http_request.h).
namespace http_field {
enum Field : size_t {
    Goroutine,  // 0: not known
    Latency,
    Method,
    Host,
    EntryAddress,  // of the instruction where the entry was probed
    EndAddress,    // of that where the end was
    // The dynamic type: of the client's error, of the server's writer.
    Type,
    Status,  // of HTTP/1, if it is a server
    Bytes,
    Side,

    // Client: the URL, and what an error may consist of (ErrorParts).
    Scheme = Side,
    Path,
    RawPath,
    Query,
    Opaque,
    ForceQuery,
    Word,
    Text,
    SecondText,
    InnerType,
    InnerText,
    InnerNumber,
    InnerByte,
    DnsText,
    OnlyType,
    OnlyText,
    OnlyInnerType,
    OnlyInnerByte,
    CheckedType,
    CheckedWord,
    CheckedText,
    ClientFields,

    // Server: the URL as it was sent; was the head of the answer sent, the connection taken over;
    // the status, the bytes and whether the head was sent of HTTP/2, net/http's and golang.org/x/net's.
    Uri = Side,
    HeadSent,
    Hijacked,
    Http2Status,
    Http2Bytes,
    Http2HeadSent,
    OtherHttp2Status,
    OtherHttp2Bytes,
    OtherHttp2HeadSent,
    ServerFields,
};
}

// Of a package's structure the place of a member, in bytes (go::Structures::offset).
using Offsets = std::function<std::optional<unsigned>(
    std::string_view package, std::string_view structure, std::string_view member)>;

// What trace would be given behind the function: a condition, format and values. Errors: the
// program does not say where something is.
Result<std::string> go_values(Side side, Convention convention, const Offsets &offsets,
                              uint64_t least_ns);

}  // namespace uscope::http
