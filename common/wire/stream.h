// Parses the HTTP/1 messages in one direction of a connection.
//
// The kernel's programs copy nearly all bytes of heads, but few bytes of bodies. Each call gives
// its offset in the stream and its length, so the parser skips gaps where nothing depends on them:
// in a body of known length, or inside a chunk. After any other gap it does not know where the next
// message begins, and resumes at a call whose first bytes look like a head.
//
//     call    0 [GET /a HTTP/1.1 … Content-Length: 9500, 500 bytes of the body]      head; the body ends at 9620
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
    // Receives the parsed messages, in order.
    class Listener {
      public:
        virtual ~Listener() = default;
        // Returns how the body ends.
        virtual Body on_head(Head head, uint64_t begin_ns, uint64_t now_ns) = 0;
        // The next bytes of the body that were seen, without the lines of chunks.
        virtual void on_body(std::string_view) {}
        // The message is complete. `bytes`: the length of its body. `is_exact`: false if chunks
        // were not seen; `bytes` then includes chunk sizes and line ends.
        virtual void on_end(uint64_t bytes, bool is_exact, uint64_t now_ns) = 0;
        // Bytes were not seen or not understood: they may contain messages.
        virtual void on_lost() {}
    };
    explicit Stream(Listener &listener) : listener_(listener) {}
    Stream(const Stream &) = delete;

    struct Call {
        uint64_t offset = 0, bytes = 0;  // offset in the stream, length
        std::string_view known;          // the first bytes, as far as the kernel copied them
        uint64_t begin_ns = 0, now_ns = 0;
        uint64_t before_ns = 0;     // when the previous call ended
        uint64_t other_offset = 0;  // bytes of the other direction before this call
    };
    void add(const Call &call);

    // The other side has responded before it got the body, so the body may never be sent.
    void body_may_be_left_out() { may_leave_out_ = state_ == State::Body; }
    // The other side has responded before the end of the head was seen.
    void answered(uint64_t now_ns);
    // The other side has switched to another protocol. `may_be_http`: HTTP may follow again, if a
    // call begins like a head.
    void end_all(bool may_be_http)
    {
        state_ = State::Tunnel;
        may_be_http_ = may_be_http;
    }

    // The stream is now at `offset`; its last byte moved at `last_ns`. `tail`: the last bytes, if
    // known.
    void advance_to(uint64_t offset, uint64_t last_ns, std::string_view tail);
    // Is a body under way whose end advance_to() can find?
    bool is_in_body() const
    {
        return state_ == State::Body || state_ == State::Chunks ||
               (state_ == State::Lost && has_open_body_);
    }
    // Bytes were not understood, and no message has begun since.
    bool is_lost() const { return state_ == State::Lost; }
    // Does only the connection's end complete the current message?
    bool ends_with_connection() const { return state_ == State::UntilClose; }
    // The offset of the next byte to parse.
    uint64_t position() const { return position_; }
    // Approximate memory in bytes.
    size_t bytes() const { return head_.capacity(); }
    // Bytes of the current message's body so far.
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
    void take_body(std::string_view &bytes, uint64_t most);

    Listener &listener_;
    State state_ = State::Lost;
    uint64_t position_ = 0;  // offset of the next byte
    std::string head_;       // the head so far, or a chunk's line
    uint64_t begin_ns_ = 0;
    unsigned empty_lines_ = 0;
    uint64_t body_begin_ = 0, body_end_ = 0;  // offsets; body_end_: of the body or chunk
    uint64_t chunk_bytes_ = 0;                // sum of the chunks so far
    Chunk chunk_ = Chunk::Size;
    bool has_open_body_ = false;  // the end of a chunked or unknown body was lost
    bool may_leave_out_ = false;
    bool may_be_http_ = false;  // in a tunnel: HTTP may follow again
};

}  // namespace uscope::wire
