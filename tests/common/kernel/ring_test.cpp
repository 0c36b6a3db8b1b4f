#include "kernel/ring.h"

#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"

using namespace uscope;
using kernel::RingReader;

namespace {

constexpr uint32_t busy = 1u << 31, discarded = 1u << 30;

// A ring buffer in a memfd with the kernel's layout: the consumer's page, the producer's page, and
// the data.
class Ring : public testing::Test {
  protected:
    static constexpr size_t size = 4096;

    void SetUp() override
    {
        fd_ = Fd(memfd_create("ring", MFD_CLOEXEC));
        ASSERT_TRUE(fd_);
        ASSERT_EQ(ftruncate(fd_.get(), 2 * page_ + size), 0);
        base_ = static_cast<uint8_t *>(
            mmap(nullptr, 2 * page_ + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0));
        ASSERT_NE(base_, MAP_FAILED);
    }
    void TearDown() override { munmap(base_, 2 * page_ + size); }

    uint64_t &consumer() { return *reinterpret_cast<uint64_t *>(base_); }
    uint64_t &producer() { return *reinterpret_cast<uint64_t *>(base_ + page_); }

    void put_byte(uint64_t position, uint8_t byte)
    {
        base_[2 * page_ + (position & (size - 1))] = byte;
    }
    void put(uint64_t position, const void *bytes, size_t count)
    {
        for (size_t i = 0; i < count; i++)
            put_byte(position + i, static_cast<const uint8_t *>(bytes)[i]);
    }

    // Adds a record whose payload is its time and `extra` bytes with the value `fill`.
    uint64_t add(uint64_t time, uint32_t flags = 0, uint32_t extra = 0, uint8_t fill = 0)
    {
        uint64_t at = producer();
        uint32_t length = 8 + extra, header = length | flags, zero = 0;
        put(at, &header, 4);
        put(at + 4, &zero, 4);
        put(at + 8, &time, 8);
        for (uint32_t i = 0; i < extra; i++)
            put_byte(at + 16 + i, fill);
        producer() = at + 8 + ((length + 7) & ~7u);
        return at;
    }
    void submit(uint64_t at, uint32_t extra = 0)
    {
        uint32_t header = 8 + extra;
        put(at, &header, 4);
    }

    std::vector<uint64_t> drain(RingReader &reader, bool last = false)
    {
        std::vector<uint64_t> times;
        reader.drain(
            [&](Bytes record) {
                times.push_back(record.read<uint64_t>(0).value());
                return true;
            },
            last);
        return times;
    }

    static uint64_t now()
    {
        timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        return time.tv_sec * 1'000'000'000ull + time.tv_nsec;
    }

    size_t page_ = sysconf(_SC_PAGESIZE);
    Fd fd_;
    uint8_t *base_ = nullptr;
};

using Times = std::vector<uint64_t>;

TEST_F(Ring, HandsOverRecordsAndFreesTheirPlace)
{
    auto reader = RingReader::open(fd_.get(), size);
    ASSERT_TRUE(reader);
    add(1);
    add(2);
    EXPECT_EQ(drain(*reader), (Times{1, 2}));
    EXPECT_EQ(consumer(), producer());
    EXPECT_EQ(drain(*reader), Times{});
}

TEST_F(Ring, IsEmptyUntilSomethingIsThere)
{
    auto reader = RingReader::open(fd_.get(), size);
    EXPECT_TRUE(reader->is_empty());
    add(1);
    EXPECT_FALSE(reader->is_empty());
    drain(*reader);
    EXPECT_TRUE(reader->is_empty());
}

TEST_F(Ring, IsBehindFromWhereProgramsWakeTheReader)
{
    auto reader = RingReader::open(fd_.get(), size);
    EXPECT_FALSE(reader->is_behind());
    for (uint32_t bytes = 0; bytes < kernel::wakeup_bytes(size); bytes += 16) {
        EXPECT_FALSE(reader->is_behind());
        add(1);
    }
    EXPECT_TRUE(reader->is_behind());
    drain(*reader);
    EXPECT_FALSE(reader->is_behind());
}

TEST_F(Ring, LeavesOutDiscardedRecords)
{
    auto reader = RingReader::open(fd_.get(), size);
    add(1);
    add(2, discarded);
    add(3);
    EXPECT_EQ(drain(*reader), (Times{1, 3}));
}

TEST_F(Ring, SortsByTime)
{
    auto reader = RingReader::open(fd_.get(), size);
    for (uint64_t time : {5, 3, 4, 1, 2})
        add(time);
    EXPECT_EQ(drain(*reader), (Times{1, 2, 3, 4, 5}));
}

TEST_F(Ring, StopsAtARecordThatIsBeingWritten)
{
    auto reader = RingReader::open(fd_.get(), size);
    add(1);
    uint64_t unfinished = add(2, busy);
    add(3);
    EXPECT_EQ(drain(*reader), Times{1});
    submit(unfinished);
    EXPECT_EQ(drain(*reader), (Times{2, 3}));
}

TEST_F(Ring, HoldsYoungRecordsBackForAnEarlierOneThatIsBeingWritten)
{
    auto reader = RingReader::open(fd_.get(), size);
    uint64_t young = now() + 1'000'000'000;  // in a second: too young for the whole test
    add(young);
    uint64_t unfinished = add(young - 1, busy);
    EXPECT_EQ(drain(*reader), Times{});
    submit(unfinished);
    EXPECT_EQ(drain(*reader), (Times{young - 1, young}));
}

TEST_F(Ring, HoldsNothingBackAtTheEnd)
{
    auto reader = RingReader::open(fd_.get(), size);
    uint64_t young = now() + 1'000'000'000;
    add(young);
    add(young - 1, busy);
    EXPECT_EQ(drain(*reader, true), Times{young});
}

TEST_F(Ring, ReadsARecordThatWrapsRound)
{
    auto reader = RingReader::open(fd_.get(), size);
    add(1, 0, 3952);
    EXPECT_EQ(drain(*reader), Times{1});
    add(2, 0, 200, 0xab);
    ASSERT_GT(producer(), size);
    std::string got;
    reader->drain([&](Bytes record) {
        got = record.text();
        return true;
    });
    ASSERT_EQ(got.size(), 208u);
    EXPECT_EQ(got.substr(8), std::string(200, '\xab'));
}

TEST_F(Ring, StopsWhenTheSinkHasEnough)
{
    auto reader = RingReader::open(fd_.get(), size);
    add(1);
    add(2);
    int seen = 0;
    EXPECT_EQ(reader->drain([&](Bytes) { return ++seen < 1; }), 1u);
    EXPECT_EQ(seen, 1);
}

}  // namespace
