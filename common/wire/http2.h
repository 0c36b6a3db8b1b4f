// Parses the frames of an HTTP/2 connection in both directions into the requests and responses of
// its streams.
//
// A frame has a head of 9 bytes (length, type, flags, stream) and contents. The kernel's programs
// send, one after the other, whole frames of the types that this file parses (HTTP_WHOLE_FRAMES),
// and only the heads of DATA frames that end a stream. They also report how many bytes of DATA a
// stream has moved, when DATA of another stream follows (HTTP_DATA_MOVED) and at the connection's
// end. That is needed because a client that has read as much as Content-Length says may close the
// connection before it reads the end of the stream.
#pragma once

#include "wire/hpack.h"
#include "wire/open_streams.h"

namespace uscope::wire {

class Http2 {
  public:
    Http2(bool is_server, const RequestMatcher::Emit &emit) : is_server_(is_server), streams_(emit)
    {
    }
    Http2(const Http2 &) = delete;

    // Adds the HTTP/1 request that asked for the upgrade as the first stream.
    void add_upgraded(Exchange &&request);
    // `frame_bytes_missing`: bytes of the current frame that were still missing before this call.
    // `is_cut`: frames are missing after these bytes. `origin`: the event's process and addresses.
    void add(const Stream::Call &call, uint32_t frame_bytes_missing, bool is_cut, bool is_request,
             const Exchange &origin);
    // Call when frames are missing: forgets which headers were sent.
    void lose(bool is_request) { lose(directions_[!is_request]); }
    // Finishes all streams. `last`: on which stream the server sent the last DATA, and how many
    // bytes; `last_ns`: when.
    void close(uint64_t now_ns, const http_data &last, uint64_t last_ns);
    bool is_server() const { return is_server_; }
    size_t open() const { return streams_.size(); }
    uint64_t unknown_headers() const { return unknown_headers_; }
    // Requests forgotten because too many streams were open, or they took too much memory.
    uint64_t forgotten() const { return streams_.forgotten(); }
    // Approximate memory in bytes.
    size_t bytes() const;

  private:
    enum class Type : uint8_t {
        Data = 0,
        Headers = 1,
        Reset = 3,
        PushPromise = 5,
        Continuation = 9,
        DataMoved = HTTP_DATA_MOVED
    };
    struct Frame {
        uint32_t length = 0, stream = 0;
        uint8_t type = 0, flags = 0;
    };
    struct Direction {
        uint64_t left = 0;     // bytes of the current frame that are still missing
        std::string contents;  // of the current frame
        Frame frame;
        bool was_lost = false;      // frames are missing
        bool is_wanted = false;     // the current frame's contents are parsed
        std::string block;          // the header block so far
        uint32_t block_stream = 0;  // 0: no header block is incomplete
        uint8_t block_flags = 0;
        bool is_promise = false;
        uint64_t block_ns = 0;  // when its first frame began
        HpackDecoder decoder;
    };
    void lose(Direction &direction);
    void begin_frame(Direction &direction, std::string_view head);
    void end_frame(Direction &direction, bool is_request, const Stream::Call &call);
    void take_headers(Direction &direction, bool is_request, const Stream::Call &call);
    void end_block(Direction &direction, bool is_request, const Stream::Call &call);
    void take_request(uint32_t stream, Head head, uint64_t begin_ns);
    void end_stream(uint32_t stream, bool is_request, uint64_t now_ns);
    void add_data(const http_data &moved);
    bool is_complete(const OpenStreams::Open &open) const;

    bool is_server_;
    Direction directions_[2];  // requests, responses
    OpenStreams streams_;
    Exchange origin_;  // of the last call
    uint64_t unknown_headers_ = 0;
};

}  // namespace uscope::wire
