#include <cstring>

#include "wire/connections.h"
#include "wire/secrets.h"

using namespace uscope;

// Passes calls on connections, in both directions, to wire::Connections. The data are a sequence of
// calls: [direction and flags | length | number of captured bytes | bytes …].
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t shown = 0;
    wire::Connections connections(
        [&](wire::Exchange &&exchange) {
            shown += exchange.host().size() + exchange.path().size() +
                     wire::without_secrets(exchange.request.target).size();
        },
        4);
    uint64_t offset[HTTP_DIRECTIONS] = {}, now_ns = 1;
    uint32_t sequence[HTTP_DIRECTIONS] = {};
    while (size >= 3) {
        http_transfer event = {};
        size_t length = std::min<size_t>(data[1], size - 3);
        event.kind = data[0] >> 4 & 3 ? HTTP_TRANSFER : data[0] >> 6;
        event.direction = data[0] & 1;
        bool is_odd = data[0] & 0x80;  // client and server have changed sides
        event.flags = data[0] & 2 ? HTTP_FRAMES : 0;
        if (event.flags && (event.direction == HTTP_RECEIVED) != is_odd)
            event.flags |= HTTP_REQUESTS;
        if (event.flags && (data[0] & 0x40))
            event.flags |= HTTP_CUT;
        event.frame_bytes_missing = data[2] >> 6 == 3 ? data[2] & 63 : 0;
        event.key.object = data[0] >> 2 & 3;
        event.ts_ns = event.begin_ns = now_ns++;
        event.bytes = length;
        event.captured = std::min<size_t>(length, data[2]);
        sequence[event.direction] += 1 + (data[2] == 1);
        memcpy(event.sequence, sequence, sizeof(sequence));
        memcpy(event.offset, offset, sizeof(offset));
        std::string record(reinterpret_cast<const char *>(&event), sizeof(event));
        record.append(reinterpret_cast<const char *>(data + 3), event.captured);
        connections.add(Bytes(record));
        offset[event.direction] += length;
        data += 3 + length;
        size -= 3 + length;
    }
    connections.look([&](const http_key &) {
        http_connection now = {};
        memcpy(now.offset, offset, sizeof(offset));
        memcpy(now.sequence, sequence, sizeof(sequence));
        return std::optional(now);
    });
    connections.end();
    return 0;
}
