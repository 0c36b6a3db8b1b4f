// Reads batches from the mapped ring buffer.
#include "kernel/ring.h"

#include <algorithm>
#include <ctime>

#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/recording.h"
#include "kernel/link_info.h"

namespace uscope::kernel {
namespace {

// include/uapi/linux/bpf.h
constexpr uint32_t busy_bit = 1u << 31;
constexpr uint32_t discard_bit = 1u << 30;
constexpr uint32_t header_size = 8;

// How long a program may take from reading the clock to submitting before records are passed on out
// of order.
constexpr uint64_t settle_ns = 1'000'000;

constexpr size_t release_every = 32;  // records

// At most 15 bytes, as stored by the kernel.
std::string name_of_map(int map)
{
    auto info = info_of<bpf_map_info>(map);
    return info ? info->name : "";
}

uint64_t round_up(uint64_t length)
{
    return (length + 7) & ~uint64_t(7);
}

}  // namespace

Result<RingReader> RingReader::open(int map, size_t size)
{
    RingReader reader;
    size_t page = sysconf(_SC_PAGESIZE);
    void *consumer = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
    if (consumer == MAP_FAILED)
        return fail_errno("cannot map the ring buffer");
    reader.consumer_page_ = static_cast<uint8_t *>(consumer);
    void *producer = mmap(nullptr, page + size, PROT_READ, MAP_SHARED, map, page);
    if (producer == MAP_FAILED)
        return fail_errno("cannot map the ring buffer's data");
    reader.producer_page_ = static_cast<const uint8_t *>(producer);
    reader.data_ = reader.producer_page_ + page;
    reader.size_ = size;
    if (is_recording())
        reader.name_ = name_of_map(map);
    return reader;
}

RingReader::RingReader(RingReader &&other) noexcept
    : size_(other.size_),
      consumer_page_(std::exchange(other.consumer_page_, nullptr)),
      producer_page_(std::exchange(other.producer_page_, nullptr)),
      data_(other.data_),
      name_(std::move(other.name_))
{
}

RingReader::~RingReader()
{
    size_t page = sysconf(_SC_PAGESIZE);
    if (consumer_page_)
        munmap(consumer_page_, page);
    if (producer_page_)
        munmap(const_cast<uint8_t *>(producer_page_), page + size_);
}

uint64_t RingReader::waiting() const
{
    auto *consumer = reinterpret_cast<const uint64_t *>(consumer_page_);
    auto *producer = reinterpret_cast<const uint64_t *>(producer_page_);
    return __atomic_load_n(producer, __ATOMIC_ACQUIRE) - *consumer;
}

bool RingReader::is_behind() const
{
    return waiting() >= wakeup_bytes(size_);
}

Bytes RingReader::record_at(uint64_t position, uint32_t length)
{
    size_t start = (position + header_size) & (size_ - 1);
    if (start + length <= size_)
        return Bytes(data_ + start, length);
    wrapped_.resize(length);
    std::copy(data_ + start, data_ + size_, wrapped_.begin());
    std::copy(data_, data_ + length - (size_ - start), wrapped_.begin() + (size_ - start));
    return Bytes(wrapped_.data(), length);
}

uint64_t RingReader::read_batch(bool last)
{
    uint64_t started_ns = monotonic_ns();
    uint64_t position = *reinterpret_cast<const uint64_t *>(consumer_page_);
    uint64_t end = position + waiting();
    bool stopped_at_busy = false, is_sorted = true;
    batch_.clear();
    while (position < end) {
        auto *header = reinterpret_cast<const uint32_t *>(data_ + (position & (size_ - 1)));
        uint32_t length = __atomic_load_n(header, __ATOMIC_ACQUIRE);
        if (length & busy_bit) {
            stopped_at_busy = true;
            break;
        }
        uint32_t bytes = length & ~discard_bit;
        if (!(length & discard_bit)) {
            uint64_t time;
            memcpy(&time, data_ + ((position + header_size) & (size_ - 1)), sizeof(time));
            is_sorted &= batch_.empty() || batch_.back().time_ns <= time;
            batch_.push_back({time, position, 0, bytes});
        }
        position += header_size + round_up(bytes);
    }

    // Holds back records that are too young to be passed on before the one that is still being
    // written. They must be at the end of the buffer, because what stays in it must be contiguous.
    uint64_t keep_from = position;
    if (stopped_at_busy && !last) {
        while (!batch_.empty() && batch_.back().time_ns + settle_ns > started_ns) {
            keep_from = batch_.back().position;
            batch_.pop_back();
        }
    }
    if (!is_sorted) {
        std::stable_sort(batch_.begin(), batch_.end(),
                         [](const Pending &a, const Pending &b) { return a.time_ns < b.time_ns; });
    }
    return keep_from;
}

size_t RingReader::drain(const std::function<bool(Bytes)> &sink, bool last)
{
    auto *consumer = reinterpret_cast<uint64_t *>(consumer_page_);
    uint64_t keep_from = read_batch(last);

    // Space is released while the batch is processed; else a flood of events would find the buffer
    // full.
    uint64_t release = keep_from;
    for (auto pending = batch_.rbegin(); pending != batch_.rend(); ++pending) {
        pending->release = release;
        release = std::min(release, pending->position);
    }

    size_t passed = 0;
    bool records = is_recording();
    for (const Pending &pending : batch_) {
        passed++;
        Bytes bytes = record_at(pending.position, pending.length);
        if (records)
            add_to_recording(name_, {bytes});
        if (!sink(bytes))
            break;
        if (passed % release_every == 0)
            __atomic_store_n(consumer, pending.release, __ATOMIC_RELEASE);
    }
    __atomic_store_n(consumer, keep_from, __ATOMIC_RELEASE);
    return passed;
}

}  // namespace uscope::kernel
