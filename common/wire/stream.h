// The HTTP/1 messages in one direction of a connection, of bytes with their place in the stream.
//
// Not all bytes are seen: those of bodies hardly, those of heads nearly always. As each call says where in
// the stream its bytes are and how many, what is not seen is passed over where nothing depends on it: in
// the body of a known length, inside a chunk. Where something does depend on it, the next message
// is not known to begin anywhere: then one begins where a call's first bytes look like a head.
//
//     call    0 [GET /a HTTP/1.1 … Content-Length: 9000, 500 bytes of the body]      head; the body ends at 9620
//     call  620 [9000 bytes, none of them seen]                                      end
//     call 9620 [GET /b HTTP/1.1 …]                                                  head
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/head.h"

namespace uscope::wire {

class Stream {
  public:
    // Hears what the bytes say, in their order.
    class Listener {
      public:
        virtual ~Listener() = default;
        // How its body ends is the answer.
        virtual Body on_head(Head head, uint64_t begin_ns, uint64_t now_ns) = 0;
        // The message is complete; `bytes`: of its body, or, of chunks that were not seen, with
        // what stands between them.
        virtual void on_end(uint64_t bytes, bool is_exact, uint64_t now_ns) = 0;
        // Bytes have moved that are not known to be anything: messages may have been among them.
        virtual void on_lost() {}
    };
    explicit Stream(Listener &listener) : listener_(listener) {}
    Stream(const Stream &) = delete;

    struct Call {
        uint64_t offset = 0, bytes = 0;  // of the stream
        std::string_view known;          // the first of the bytes
        uint64_t begin_ns = 0, now_ns = 0;
        uint64_t before_ns = 0;  // when the call before it was over
        uint64_t others = 0;     // bytes of the other direction before it
    };
    void add(const Call &call);

    // The other side has answered before it was sent a body: this may be left out.
    void body_may_be_left_out() { may_leave_out_ = state_ == State::Body; }
    // The other side has answered a head before its end.
    void answered(uint64_t now_ns);
    // The other side says that something else follows; `may_be_http`: which is HTTP if it begins so.
    void end_all(bool may_be_http)
    {
        state_ = State::Tunnel;
        may_be_http_ = may_be_http;
    }

    // So much has moved by now, and the last of it then. `tail`: the last bytes, if they are known.
    void reached(uint64_t offset, uint64_t last_ns, std::string_view tail);
    // Waits for the end of a body that is not seen.
    bool is_in_body() const
    {
        return state_ == State::Body || state_ == State::Chunks ||
               (state_ == State::Lost && has_open_body_);
    }
    // Is a message under way that only the connection's end ends?
    bool ends_with_connection() const { return state_ == State::UntilClose; }
    // So far the bytes are read.
    uint64_t position() const { return position_; }
    // What is remembered takes, about.
    size_t bytes() const { return head_.capacity(); }
    // Of the message under way, as far as it has come.
    uint64_t body_bytes() const { return position_ > body_begin_ ? position_ - body_begin_ : 0; }

  private:
    enum class State : uint8_t { Lost, Boundary, Head, Body, Chunks, UntilClose, Tunnel };
    enum class Chunk : uint8_t { Size, Data, DataEnd, Trailer };

    void pass_to(uint64_t offset, uint64_t now_ns);
    void lose();
    bool begin(std::string_view &bytes, const Call &call);
    void read_head(std::string_view &bytes, const Call &call);
    void finish_head(const Call &call);
    void start_body(const Body &body, uint64_t now_ns);
    void read_chunks(std::string_view &bytes, uint64_t now_ns);
    bool read_chunk_line(std::string_view &bytes);
    void end_chunk_line(uint64_t now_ns);
    void end_message(uint64_t bytes, uint64_t now_ns, bool is_exact = true);
    void take(std::string_view &bytes, size_t count);

    Listener &listener_;
    State state_ = State::Lost;
    uint64_t position_ = 0;  // of the next byte
    std::string head_;       // or a chunk's line
    uint64_t begin_ns_ = 0;
    unsigned empty_lines_ = 0;
    uint64_t body_begin_ = 0, body_end_ = 0;  // of the body, or the chunk
    uint64_t chunk_bytes_ = 0;                // of all chunks
    Chunk chunk_ = Chunk::Size;
    bool has_open_body_ = false;  // chunked, its end was lost
    bool may_leave_out_ = false;
    bool may_be_http_ = false;  // in a tunnel
};

}  // namespace uscope::wire
