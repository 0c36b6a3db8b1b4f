// A perf event with mmap2, comm, task and sample_id_all set writes these records. All their numbers
// are little-endian on the machines that uscope supports:
//
//     struct perf_event_header { u32 type; u16 misc; u16 size; };   size includes the header
//     …                                                             depends on the type:
//     u64 time                                                      because of PERF_SAMPLE_TIME
//
//     MMAP2  u32 pid, tid; u64 address, length, file offset; u32 device major, minor; u64 inode,
//            generation; u32 protection, flags; the path, terminated, padded to 8 bytes
//     COMM   u32 pid, tid; the name, terminated and padded; misc says whether an exec set it
//     FORK, EXIT  u32 pid, parent pid, tid, parent tid; u64 time
//     LOST   u64 id, count
//
// An example: the program `true` starts (type 3: COMM; misc 0x2000: by exec; size: 40 bytes)
//     03 00 00 00 | 00 20 | 28 00 | pid | tid | "true\0\0\0\0" 8 bytes of padding | time
#include "proc/process_events.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

namespace uscope::proc {
namespace {

constexpr uint64_t mmap2_path = 64;  // where the path starts after the header

std::optional<Mapping> decode_mapping(Bytes body)
{
    auto path = body.cstring(mmap2_path);
    if (!path)
        return std::nullopt;
    Mapping m;
    m.start = *body.read<uint64_t>(8);
    m.end = m.start + *body.read<uint64_t>(16);
    m.offset = *body.read<uint64_t>(24);
    m.file.device = makedev(*body.read<uint32_t>(32), *body.read<uint32_t>(36));
    m.file.inode = *body.read<uint64_t>(40);
    uint32_t protection = *body.read<uint32_t>(56);
    m.readable = protection & PROT_READ;
    m.writable = protection & PROT_WRITE;
    m.executable = protection & PROT_EXEC;
    m.deleted = m.is_file() && path->ends_with(deleted_suffix);
    if (m.deleted)
        path->remove_suffix(deleted_suffix.size());
    m.path = *path == "//anon" ? "" : *path;
    return m.end > m.start ? std::optional(m) : std::nullopt;
}

std::optional<ProcessEvent> decode(const perf_event_header &header, Bytes body)
{
    if (body.size() < 3 * sizeof(uint64_t))
        return std::nullopt;
    ProcessEvent event;
    event.time_ns = *body.read<uint64_t>(body.size() - sizeof(uint64_t));
    event.tgid = pid_t(*body.read<uint32_t>(0));
    switch (header.type) {
    case PERF_RECORD_MMAP2:
        if (auto mapping = decode_mapping(body)) {
            event.kind = ProcessEvent::Kind::Mapped;
            event.mapping = std::move(*mapping);
            return event;
        }
        return std::nullopt;
    case PERF_RECORD_COMM:
        event.kind = ProcessEvent::Kind::Executed;
        event.comm = body.cstring(8).value_or("");
        return header.misc & PERF_RECORD_MISC_COMM_EXEC ? std::optional(event) : std::nullopt;
    case PERF_RECORD_FORK:
        event.kind = ProcessEvent::Kind::Forked;
        event.parent = pid_t(*body.read<uint32_t>(4));
        return event.parent != event.tgid ? std::optional(event) : std::nullopt;
    case PERF_RECORD_EXIT:
        event.kind = ProcessEvent::Kind::Exited;
        return pid_t(*body.read<uint32_t>(8)) == event.tgid ? std::optional(event) : std::nullopt;
    case PERF_RECORD_LOST:
        event.kind = ProcessEvent::Kind::Lost;
        event.tgid = 0;
        event.count = *body.read<uint64_t>(8);
        return event;
    default:
        return std::nullopt;
    }
}

}  // namespace

void decode_events(Bytes records, std::vector<ProcessEvent> &events)
{
    while (auto header = records.read<perf_event_header>(0)) {
        auto record = records.slice(0, header->size);
        if (!record || header->size < sizeof(*header))
            return;
        if (auto event = decode(*header, record->from(sizeof(*header))))
            events.push_back(std::move(*event));
        records = records.from(header->size);
    }
}

}  // namespace uscope::proc
