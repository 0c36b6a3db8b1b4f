// Reads a BPF ring buffer in batches and sorts the records of all CPUs by time. Needs half the
// memory of libbpf's reader.
//
// The buffer (kernel/bpf/ringbuf.c, Linux 5.8) is an area of records whose size is a power of two.
// Each record follows an 8-byte header: its length with two flag bits (busy: a program has reserved
// but not yet submitted the record; discard: the record is to be skipped), and a page offset.
// Records are in the order in which they were reserved. The kernel allows mapping the data twice in
// a row, so that a record that wraps around can be read as one. That doubles the size of the
// mapping, which counts as the tool's memory. So RingReader maps the data once, and copies the rare
// record that wraps around.
//
// Order: a program reads the clock just after it reserves a record. Two CPUs may interleave these
// steps, so the times of neighbouring records can be out of order by some microseconds. Therefore
// all records in the buffer are read as one batch and sorted. If the batch contains all reserved
// records, no later record can have an earlier time. If instead it ends before a record that a
// program is still writing, that record may be older than some of the batch: then the newest
// records of the batch (those of the last settle_ns) wait for the next batch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace uscope::kernel {

// When this many bytes of records are unread, programs wake the reader (bpf/lib/emit.bpf.h).
constexpr uint32_t wakeup_bytes(uint64_t buffer_bytes)
{
    constexpr uint64_t max = 512 << 10;
    return uint32_t(buffer_bytes / 4 < max ? buffer_bytes / 4 : max);
}

class RingReader {
  public:
    // `map`: a BPF_MAP_TYPE_RINGBUF with `size` bytes of data, in which every record starts with
    // its time as a __u64.
    static Result<RingReader> open(int map, size_t size);
    RingReader(RingReader &&other) noexcept;
    RingReader &operator=(RingReader &&) = delete;
    ~RingReader();

    // Calls `sink` with each record in the buffer, the oldest first; the bytes are valid during the
    // call. If `sink` returns false, no more records are read, in this call and in later ones.
    // `last`: no more records will come, so none have to wait for the next batch. Returns the
    // number of records passed to `sink`.
    size_t drain(const std::function<bool(Bytes)> &sink, bool last = false);

    bool is_empty() const { return waiting() == 0; }
    // Are at least wakeup_bytes() unread? If so, read again at once: programs do not wake a reader
    // that is already reading.
    bool is_behind() const;

  private:
    RingReader() = default;
    uint64_t waiting() const;  // bytes
    // Reads the headers of the records into batch_. Returns the position after the last of them
    // that may be passed on.
    uint64_t read_batch(bool last);
    Bytes record_at(uint64_t position, uint32_t length);

    struct Pending {
        uint64_t time_ns;
        uint64_t position;  // of the record's header
        uint64_t release;   // once `sink` had this record, the buffer is free up to here
        uint32_t length;
    };

    size_t size_ = 0;
    uint8_t *consumer_page_ = nullptr;
    const uint8_t *producer_page_ = nullptr;
    const uint8_t *data_ = nullptr;  // follows producer_page_ in the mapping
    std::vector<Pending> batch_;
    std::vector<uint8_t> wrapped_;
    std::string name_;  // the map's name, if records are recorded (base/recording.h)
};

}  // namespace uscope::kernel
