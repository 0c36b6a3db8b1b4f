#include "proc/process_events.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include <gtest/gtest.h>

namespace uscope::proc {
namespace {

// Builds a record of perf in the kernel's layout.
class RecordText {
  public:
    template <class T>
    RecordText &put(T value)
    {
        body_.append(reinterpret_cast<const char *>(&value), sizeof(value));
        return *this;
    }
    RecordText &text(std::string_view value)
    {
        body_.append(value).append(8 - value.size() % 8, '\0');
        return *this;
    }
    std::string record(uint32_t type, uint16_t misc = 0) const
    {
        perf_event_header header = {type, misc, uint16_t(sizeof(header) + body_.size())};
        return std::string(reinterpret_cast<const char *>(&header), sizeof(header)) + body_;
    }

  private:
    std::string body_;
};

std::vector<ProcessEvent> decode(const std::string &records)
{
    std::vector<ProcessEvent> events;
    decode_events(Bytes(records), events);
    return events;
}

RecordText mapping(std::string_view path)
{
    return RecordText()
        .put(7u)
        .put(8u)
        .put(uint64_t(0x7000))
        .put(uint64_t(0x3000))
        .put(uint64_t(0x2000))
        .put(254u)
        .put(1u)
        .put(uint64_t(99))
        .put(uint64_t(0))
        .put(uint32_t(PROT_READ | PROT_EXEC))
        .put(0u)
        .text(path)
        .put(uint64_t(1234));
}

RecordText task(uint32_t pid, uint32_t parent, uint32_t tid)
{
    return RecordText().put(pid).put(parent).put(tid).put(parent).put(uint64_t(0)).put(uint64_t(5));
}

TEST(ProcessEvents, DecodesAMapping)
{
    auto events = decode(mapping("/usr/lib/x y.so").record(PERF_RECORD_MMAP2));
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].kind, ProcessEvent::Kind::Mapped);
    EXPECT_EQ(events[0].tgid, 7);
    EXPECT_EQ(events[0].time_ns, 1234u);
    const Mapping &m = events[0].mapping;
    EXPECT_EQ(m.start, 0x7000u);
    EXPECT_EQ(m.end, 0xa000u);
    EXPECT_EQ(m.offset, 0x2000u);
    EXPECT_EQ(m.file, (FileId{makedev(254, 1), 99}));
    EXPECT_TRUE(m.executable && m.readable && !m.writable);
    EXPECT_EQ(m.path, "/usr/lib/x y.so");
}

TEST(ProcessEvents, TakesDeletedOffThePath)
{
    auto events = decode(mapping("/memfd:x (deleted)").record(PERF_RECORD_MMAP2));
    ASSERT_EQ(events.size(), 1u);
    EXPECT_TRUE(events[0].mapping.deleted);
    EXPECT_EQ(events[0].mapping.path, "/memfd:x");
}

TEST(ProcessEvents, TellsExecFromRenaming)
{
    RecordText comm = RecordText().put(7u).put(7u).text("true").put(uint64_t(1));
    auto events = decode(comm.record(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC));
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].kind, ProcessEvent::Kind::Executed);
    EXPECT_EQ(events[0].comm, "true");
    EXPECT_TRUE(decode(comm.record(PERF_RECORD_COMM)).empty());
}

TEST(ProcessEvents, LeavesOutThreads)
{
    EXPECT_EQ(decode(task(9, 7, 9).record(PERF_RECORD_FORK)).at(0).parent, 7);
    EXPECT_TRUE(decode(task(7, 7, 9).record(PERF_RECORD_FORK)).empty());
    EXPECT_EQ(decode(task(7, 1, 7).record(PERF_RECORD_EXIT)).at(0).kind,
              ProcessEvent::Kind::Exited);
    EXPECT_TRUE(decode(task(7, 1, 9).record(PERF_RECORD_EXIT)).empty());
}

TEST(ProcessEvents, CountsWhatWasLost)
{
    auto events = decode(
        RecordText().put(uint64_t(1)).put(uint64_t(17)).put(uint64_t(5)).record(PERF_RECORD_LOST));
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].kind, ProcessEvent::Kind::Lost);
    EXPECT_EQ(events[0].count, 17u);
}

TEST(ProcessEvents, PassesOverOtherRecordsAndGoesOn)
{
    auto events = decode(RecordText()
                             .put(uint64_t(1))
                             .put(uint64_t(1))
                             .put(uint64_t(1))
                             .record(PERF_RECORD_THROTTLE) +
                         mapping("/x").record(PERF_RECORD_MMAP2));
    EXPECT_EQ(events.size(), 1u);
}

TEST(ProcessEvents, EndsAtARecordThatRunsOutside)
{
    std::string whole = mapping("/x").record(PERF_RECORD_MMAP2);
    EXPECT_EQ(decode(whole + whole.substr(0, whole.size() - 1)).size(), 1u);
    EXPECT_TRUE(decode(std::string(8, '\0')).empty());
}

}  // namespace
}  // namespace uscope::proc
