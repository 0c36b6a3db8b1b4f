// The frames of HTTP/2 in both directions, and the requests and answers of their streams.
//
// A frame is 9 bytes - length, type, flags, stream - and its contents. The kernel's programs hand the calls over
// that have other frames than DATA, and say where in each the first frame begins.
#pragma once

#include <map>

#include "wire/hpack.h"
#include "wire/pairs.h"

namespace uscope::wire {

class Http2 {
  public:
    Http2(bool is_server, const Pairs::Emit &emit) : is_server_(is_server), emit_(emit) {}
    Http2(const Http2 &) = delete;

    // `skip`: where the first frame begins in it; nothing: not known.
    // `is_cut`: what is not known of the call may be more than DATA.
    void add(const Stream::Call &call, std::optional<uint32_t> skip, bool is_cut, bool is_request,
             const Exchange &who);
    void close(uint64_t now_ns);
    bool is_server() const { return is_server_; }
    size_t open() const { return streams_.size(); }
    uint64_t unknown_headers() const { return unknown_headers_; }

  private:
    enum class Type : uint8_t {
        Data = 0,
        Headers = 1,
        Reset = 3,
        PushPromise = 5,
        Continuation = 9
    };
    struct Frame {
        uint32_t length = 0, stream = 0;
        uint8_t type = 0, flags = 0;
    };
    struct Direction {
        uint64_t position = 0;  // of the next byte
        uint64_t left = 0;      // of the frame under way, or what is to be skipped
        std::string head;       // of a frame, as far as it has come
        std::string contents;   // of a frame that is looked into
        Frame frame;
        bool is_known = false;    // where frames begin is known
        bool was_lost = false;    // that was not so for a while
        bool is_wanted = false;   // the frame under way is looked into
        bool is_skipped = false;  // DATA was passed over, up to a place that is not known
        std::string block;        // of headers, as far as it has come
        uint32_t block_stream = 0;
        uint8_t block_flags = 0;
        bool is_promise = false;
        uint64_t block_ns = 0;  // when its first frame began
        HpackDecoder decoder;
    };
    void lose(Direction &direction);
    void begin_frame(Direction &direction);
    void end_frame(Direction &direction, bool is_request, const Stream::Call &call);
    void take_headers(Direction &direction, bool is_request, const Stream::Call &call);
    void end_block(Direction &direction, bool is_request, const Stream::Call &call);
    void take_request(uint32_t stream, Head head, uint64_t begin_ns);
    void take_response(Exchange &exchange, Head head, uint64_t begin_ns);
    void end_stream(uint32_t stream, bool is_request, uint64_t now_ns);
    void finish(std::map<uint32_t, Exchange>::iterator stream, uint64_t now_ns);

    bool is_server_;
    const Pairs::Emit &emit_;
    Direction directions_[2];  // requests, responses
    std::map<uint32_t, Exchange> streams_;
    Exchange who_;
    std::optional<uint32_t> ended_stream_;  // of the DATA that has just begun
    uint64_t unknown_headers_ = 0;
};

}  // namespace uscope::wire
