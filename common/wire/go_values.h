// HTTP requests of Go programs: which functions to probe, and what to read there.
//
// Client: every outgoing request calls net/http.(*Transport).roundTrip(*Request) (*Response, error)
// once, whatever interface and protocol it uses; a redirect calls it once for each hop.
// Server: every incoming request calls net/http.serverHandler.ServeHTTP(ResponseWriter, *Request)
// once, with HTTP/1 and HTTP/2.
//
// For both, the values are read at the return. The probe on the entry saves the arguments, which
// are pointers; the probe on the return follows them, because the callers still hold what they
// point to:
//
//     client   entry: rbx request             return: rax response, (rbx, rcx) error
//     server   entry: (rbx, rcx) writer, rdi request
//
// (Before Go 1.17 they are on the stack, in the same order.) A handler may change a server's
// request, so the entry also saves the addresses of its method, host and URI.
//
// A handler that panics does not return. The call then ends at the entry of a deferred function of
// net/http, which recovers from the panic. Both run on the same goroutine, which serves one request
// at a time.
//
// The header "traceparent" is a key of the request's map. The programs look for it only in maps of
// at most 8 keys, which are in one array; larger ones would need a loop. The entry saves the
// array's address; the keys and the value are read at the return. If the map was changed meanwhile,
// what is read is no valid header, and wire::parse_traceparent() refuses it.
//
// The program itself describes the offsets of the structures' members (go/structures.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uscope::wire {

enum class Side : uint8_t { Client, Server };
// How maps are built: not to be read; buckets of 8 keys, then 8 values; groups of 8 slots, each
// with its key and value.
enum class GoMaps : uint8_t { Unread, Buckets, Groups };
enum class Convention : uint8_t { Stack, Registers };  // since Go 1.17

constexpr std::string_view go_function(Side side)
{
    return side == Side::Client ? "net/http.(*Transport).roundTrip"
                                : "net/http.serverHandler.ServeHTTP";
}

// Functions whose entry also ends a call of go_function(). A program has only some of them: HTTP/2
// was a part of net/http before Go 1.27, and a program may use that of golang.org/x/net instead.
std::vector<std::string_view> go_other_ends(Side side);

// The index of each value of an event, for go_values(), which writes the list, and for request.h,
// which reads the values.
namespace http_field {
enum Field : size_t {
    Goroutine,  // 0: unknown
    Latency,
    Method,
    Host,
    EntryAddress,  // address of the instruction probed at the entry
    EndAddress,    // address of the instruction where the call ended
    // The dynamic type of the client's error, or of the server's ResponseWriter.
    Type,
    Status,  // server: of HTTP/1
    Bytes,
    Side,

    // Client: the URL, and the parts of an error (ErrorParts).
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

    // Server: the URL as sent; whether the response's head was sent; whether the handler took the
    // connection over. For HTTP/2, in net/http's version and in that of golang.org/x/net (Other):
    // status, bytes, and whether the head was sent.
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

// Returns the offset of a structure's member in bytes, or nullopt (go::Structures::offset).
using Offsets = std::function<std::optional<unsigned>(
    std::string_view package, std::string_view structure, std::string_view member)>;

// Returns the text that would follow the function on trace's command line: condition, format and
// values. Unless `maps` is Unread, traceparent is one more value, and for a server the pattern of
// its ServeMux. Errors: the program does not describe the offset of a member that is needed.
Result<std::string> go_values(Side side, Convention convention, const Offsets &offsets,
                              uint64_t least_ns, GoMaps maps = GoMaps::Unread);

}  // namespace uscope::wire
