// The frames of HTTP/2 in both directions, and the requests and answers of their streams.
//
// A frame is 9 bytes - length, type, flags, stream - and its contents. The kernel's programs hand over those that are
// looked into (HTTP_WHOLE_FRAMES), one behind the other, and the heads of DATA that end a stream. How much DATA a stream has
// moved they tell when that of another one follows (HTTP_DATA_MOVED), and at the end: a client that has read as much as
// it was promised may go away before it reads that the stream has ended.
#pragma once

#include <map>

#include "wire/hpack.h"
#include "wire/request_matcher.h"

namespace uscope::wire {

class Http2 {
  public:
    Http2(bool is_server, const RequestMatcher::Emit &emit) : is_server_(is_server), emit_(emit) {}
    Http2(const Http2 &) = delete;

    // A request by HTTP/1 that was answered with an upgrade: the first stream.
    void go_over(Exchange &&request);
    // `rest`: how many bytes were missing before of the frame that began last.
    // `is_cut`: frames are missing behind these bytes.
    void add(const Stream::Call &call, uint32_t rest, bool is_cut, bool is_request,
             const Exchange &who);
    // Frames are missing, and so it is not known what headers were sent.
    void lose(bool is_request) { lose(directions_[!is_request]); }
    // `last`: the DATA that the server has sent last, at `last_ns`.
    void close(uint64_t now_ns, const http_data &last, uint64_t last_ns);
    bool is_server() const { return is_server_; }
    size_t open() const { return streams_.size(); }
    uint64_t unknown_headers() const { return unknown_headers_; }
    // Requests whose streams were too many, or too long.
    uint64_t forgotten() const { return forgotten_; }
    // What is remembered takes, about.
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
        uint64_t left = 0;     // of the frame under way
        std::string contents;  // of it
        Frame frame;
        bool was_lost = false;      // frames are missing
        bool is_wanted = false;     // the frame under way is looked into
        std::string block;          // of headers, as far as it has come
        uint32_t block_stream = 0;  // 0: no block is under way
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
    void take_response(Exchange &exchange, Head head, uint64_t begin_ns);
    void end_stream(uint32_t stream, bool is_request, uint64_t now_ns);
    void forget_oldest();
    Exchange take(std::map<uint32_t, Exchange>::iterator stream);
    void finish(std::map<uint32_t, Exchange>::iterator stream, uint64_t now_ns);
    void add_data(const http_data &moved);
    bool is_complete(uint32_t stream, const Exchange &exchange) const;

    bool is_server_;
    const RequestMatcher::Emit &emit_;
    Direction directions_[2];  // requests, responses
    std::map<uint32_t, Exchange> streams_;
    std::map<uint32_t, uint32_t>
        data_;  // of these streams, bytes that the server has sent, modulo 2^32
    Exchange who_;
    uint64_t unknown_headers_ = 0, forgotten_ = 0;
    size_t bytes_ = 0;  // of the streams
};

}  // namespace uscope::wire
