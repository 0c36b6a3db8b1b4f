// Reads a BPF ring buffer: in batches, in order of time across CPUs, with half the memory of the
// usual reader.
//
// The buffer (kernel/bpf/ringbuf.c, Linux 5.8) is a power-of-two area of records, each behind an
// 8-byte header: length with two flag bits (busy: reserved, not yet submitted; discard), page
// offset. Records are in the order in which their places were reserved. The kernel lets the data be
// mapped twice in a row so that a record that wraps round can be read as one; that doubles what
// counts as our memory, so here it is mapped once, and the rare record that wraps is copied.
//
// Order. A program takes its time stamp just after reserving; two CPUs may do these steps in turns,
// so stamps of neighbouring records can be out of order by some microseconds. Everything that is
// there is therefore taken as one batch and sorted. When a batch ends at the end of what is
// reserved, no later record can have an earlier stamp. When it ends at a record still being
// written, that record may be earlier than ours: the youngest records of the batch (settle_ns) then
// wait for the next round.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace uscope::attach {

// When so much waits, programs wake the reader (bpf/lib/emit.bpf.h): of a buffer of so many bytes.
constexpr uint32_t wakeup_bytes(uint64_t buffer_bytes)
{
    constexpr uint64_t most = 512 << 10;
    return uint32_t(buffer_bytes / 4 < most ? buffer_bytes / 4 : most);
}

class RingReader {
  public:
    // `map` is a BPF_MAP_TYPE_RINGBUF of `size` bytes of data; every record starts with its __u64
    // time.
    static Result<RingReader> open(int map, size_t size);
    RingReader(RingReader &&other) noexcept;
    RingReader &operator=(RingReader &&) = delete;
    ~RingReader();

    // Hands over what is there, oldest first; the bytes are valid during the call. A `sink` that
    // returns false wants no more, now or later. `last`: nothing more will come, so nothing is held
    // back. Returns how many records were handed over.
    size_t drain(const std::function<bool(Bytes)> &sink, bool last = false);

    bool is_empty() const { return waiting() == 0; }
    // So much waits that programs would wake the reader if it were not reading already.
    bool is_behind() const;

  private:
    RingReader() = default;
    uint64_t waiting() const;  // bytes
    Bytes record_at(uint64_t position, uint32_t length);

    struct Pending {
        uint64_t time_ns;
        uint64_t position;  // of the record's header
        uint64_t release;   // the buffer is free up to here once this record was handed over
        uint32_t length;
    };

    size_t size_ = 0;
    uint8_t *consumer_page_ = nullptr;
    const uint8_t *producer_page_ = nullptr;
    const uint8_t *data_ = nullptr;  // behind the producer's page
    std::vector<Pending> batch_;
    std::vector<uint8_t> wrapped_;
    std::string name_;  // of the map, while a recording is made
};

}  // namespace uscope::attach
