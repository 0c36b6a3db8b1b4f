// A connection between a client and a server, whose system calls a test invents, for
// wire::Connections.
#pragma once

#include <cstring>

#include <gtest/gtest.h>

#include "base/format.h"
#include "wire/connections.h"

namespace uscope::wire::tests {

// Passes calls of the server to wire::Connections, as the kernel side would, and writes a line for
// each exchange that results: "GET /a 200 2" (method, target, status, bytes of the response's
// body).
class Wire {
  public:
    // The server receives or sends bytes. `known`: how many of them the kernel side has captured.
    void receives(std::string_view bytes, size_t known = SIZE_MAX)
    {
        call(HTTP_RECEIVED, bytes, known, 0);
    }
    void sends(std::string_view bytes, size_t known = SIZE_MAX)
    {
        call(HTTP_SENT, bytes, known, 0);
    }
    // The same for HTTP/2. `rest`: how many bytes are missing of a frame that an earlier call
    // began.
    void receives_frames(std::string_view bytes, uint32_t rest = 0, uint8_t flags = 0)
    {
        call(HTTP_RECEIVED, bytes, SIZE_MAX, HTTP_FRAMES | HTTP_REQUESTS | flags, rest);
    }
    void sends_frames(std::string_view bytes, uint32_t rest = 0, uint8_t flags = 0)
    {
        call(HTTP_SENT, bytes, SIZE_MAX, HTTP_FRAMES | flags, rest);
    }
    // HTTP/3: an http3_event, with a field's name and value.
    void streams(uint8_t direction, std::string_view event)
    {
        call(direction, event, SIZE_MAX, HTTP_BY_TLS | HTTP_STREAMS);
    }
    // Sets the last bytes that moved in a direction; the kernel side remembers them from earlier
    // calls.
    void ends_with(size_t direction, std::string_view tail)
    {
        memcpy(tail_[direction], tail.data(), sizeof(tail_[direction]));
    }
    // Bytes that move without an event: the kernel side only counts them.
    void passes(size_t direction, uint64_t bytes)
    {
        offset_[direction] += bytes;
        last_ns_[direction] = now_ns_ += 10;
    }
    // Bytes whose event is lost, because the buffer was full.
    void loses(size_t direction, uint64_t bytes)
    {
        passes(direction, bytes);
        sequence_[direction]++;
    }
    void closes(uint8_t kind = HTTP_CLOSED)
    {
        http_transfer event = {};
        event.kind = kind;
        add(event, "");
    }
    // Another connection has the same address as the previous one: its offsets start at 0 again.
    void begins_anew()
    {
        for (size_t i = 0; i < HTTP_DIRECTIONS; i++)
            offset_[i] = last_ns_[i] = sequence_[i] = 0;
    }
    // Lets Connections look at the kernel's current state. `tail`: the last bytes in each
    // direction; `unread`: how many bytes the server has sent in a call whose event is not read
    // yet.
    void looks(std::string_view tail = "", uint64_t unread = 0)
    {
        connections.look([&](const http_key &) {
            http_connection now = {};
            for (size_t i = 0; i < HTTP_DIRECTIONS; i++) {
                now.sequence[i] = sequence_[i];
                now.offset[i] = offset_[i];
                now.last_ns[i] = last_ns_[i];
                memcpy(now.tail[i] + sizeof(now.tail[i]) - tail.size(), tail.data(), tail.size());
            }
            now.sequence[HTTP_SENT] += unread != 0;
            now.offset[HTTP_SENT] += unread;
            now.last_ns[HTTP_SENT] += 10 * unread;
            return std::optional(now);
        });
    }
    std::string take() { return std::exchange(lines_, {}); }

    std::vector<Exchange> exchanges;
    Connections connections{
        [this](Exchange &&exchange) {
            lines_ +=
                fmt::format("{} {} {} {}{}{}\n", exchange.request.method, exchange.request.target,
                            exchange.response ? exchange.response->status : 0,
                            exchange.response_bytes ? int64_t(*exchange.response_bytes) : -1,
                            exchange.error.empty() ? "" : " ", exchange.error);
            exchanges.push_back(std::move(exchange));
        },
        4};
    uint64_t object = 1;

  private:
    void call(uint8_t direction, std::string_view bytes, size_t known, uint8_t flags,
              uint32_t rest = 0)
    {
        http_transfer event = {};
        event.frame_bytes_missing = rest;
        event.direction = direction;
        event.bytes = bytes.size();
        event.flags = flags;
        add(event, bytes.substr(0, known));
        passes(direction, bytes.size());
    }
    void add(http_transfer &event, std::string_view bytes)
    {
        event.key.object = object;
        event.ts_ns = event.begin_ns = now_ns_ + 1;
        for (size_t i = 0; i < HTTP_DIRECTIONS; i++) {
            event.offset[i] = offset_[i];
            event.last_ns[i] = last_ns_[i];
            memcpy(event.tail[i], tail_[i], sizeof(tail_[i]));
        }
        sequence_[event.direction]++;
        memcpy(event.sequence, sequence_, sizeof(sequence_));
        event.captured = bytes.size();
        std::string record(reinterpret_cast<const char *>(&event), sizeof(event));
        record += bytes;
        connections.add(Bytes(record));
    }

    uint64_t offset_[HTTP_DIRECTIONS] = {}, last_ns_[HTTP_DIRECTIONS] = {}, now_ns_ = 100;
    char tail_[HTTP_DIRECTIONS][sizeof(http_transfer::tail) / HTTP_DIRECTIONS] = {};
    uint32_t sequence_[HTTP_DIRECTIONS] = {};
    std::string lines_;
};

inline constexpr std::string_view get_a = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n",
                                  get_b = "GET /b HTTP/1.1\r\nHost: x\r\n\r\n",
                                  ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

}  // namespace uscope::wire::tests
