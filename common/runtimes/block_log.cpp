// Reads and prints the events of blocks.
#include "runtimes/block_log.h"

#include "base/format.h"
#include "kernel/map.h"
#include "run/loop.h"

namespace uscope::runtimes {

output::Rows<memleak_event>::Fields block_event_fields(const output::Clock &clock)
{
    using Event = memleak_event;
    using Field = output::Field<Event>;
    auto is_free = [](const Event &e) { return e.what == MEMLEAK_FREED; };
    auto type = [=](const Event &e) { return is_free(e) ? "freed" : "allocated"; };
    auto what = [=](const Event &e) { return is_free(e) ? "free" : "alloc"; };
    auto address = [](const Event &e) { return fmt::format("{:#x}", e.address); };
    auto bytes = [=](const Event &e) { return output::Cell::when(!is_free(e), e.bytes); };
    return {
        {"type", type},
        Field::time(clock, &Event::ts_ns),
        {"PID", 7, "pid", &Event::tgid},
        {"TID", 7, "tid", &Event::tid},
        {"COMM", 16, "comm", &Event::comm},
        {"WHAT", 6, what},
        {"ADDRESS", 18, "address", address},
        {"BYTES", output::rest, "bytes", bytes},
    };
}

Result<> BlockLog::open(bpf_map *events)
{
    fd_ = bpf_map__fd(events);
    reader_.emplace(TRY(kernel::RingReader::open(fd_, bpf_map__max_entries(events))));
    rows_.header();
    return {};
}

Result<> BlockLog::follow(run::Loop &loop)
{
    constexpr unsigned often_ms = 50;
    auto read = [this, &loop] {
        drain();
        if (reader_->is_behind())
            loop.look_again(fd_);
    };
    TRY(loop.on_woken(fd_, read));
    return loop.every(often_ms, read);
}

void BlockLog::drain(bool last)
{
    reader_->drain(
        [this](Bytes record) {
            if (auto event = record.read<memleak_event>(0))
                rows_.add(*event);
            return true;
        },
        last);
    tool_.out().flush();
}

}  // namespace uscope::runtimes
