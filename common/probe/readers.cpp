#include "probe/readers.h"

#include <utility>

#include <unistd.h>

#include "base/format.h"
#include "proc/executable.h"
#include "proc/instrumenter.h"
#include "proc/process.h"

namespace uscope::probe {
namespace {

constexpr int looks = 5;
constexpr unsigned between_looks_ms = 25;

// Offsets into one file.
struct Places {
    const std::string &path;
    uint32_t inode;
    const std::set<uint64_t> &offsets;
};

std::vector<Places> places_by_file(const FileOffsets &all)
{
    std::vector<Places> files;
    for (const auto &[path, offsets] : all) {
        if (auto id = proc::file_id(path))
            files.push_back({path, uint32_t(id->inode), offsets});
    }
    return files;
}

// Is one of the places in the mapping, where the kernel would write a breakpoint that can be read?
bool has_place(const proc::Mapping &mapping, const Places &places)
{
    if (!mapping.is_file() || !mapping.readable || mapping.writable || mapping.shared ||
        uint32_t(mapping.file.inode) != places.inode)
        return false;
    auto first = places.offsets.lower_bound(mapping.offset);
    return first != places.offsets.end() && *first - mapping.offset < mapping.end - mapping.start &&
           proc::is_same_file(places.path, mapping.file);
}

// What has the code executable runs it by itself, whatever else it has mapped of the file: musl's dynamic linker leaves more
// of it readable than it needs to. qemu-user runs its own libraries so, and has what it translates mapped to be read.
std::optional<Reader> reader_in(pid_t pid, const Places &places,
                                const std::vector<proc::Mapping> &mappings)
{
    const proc::Mapping *of_file = nullptr;
    bool is_executed = false, is_read = false;
    for (const proc::Mapping &mapping : mappings) {
        if (!has_place(mapping, places))
            continue;
        of_file = &mapping;
        is_executed |= mapping.executable;
        is_read |= !mapping.executable;
    }
    if (!of_file)
        return std::nullopt;
    auto by = proc::instrumenter(proc::executable_path(pid), mappings);
    if (by && (is_read || *by != "qemu-user"))
        return Reader{pid, std::string(*by), of_file->path, true};
    if (is_executed)
        return std::nullopt;
    return Reader{pid, proc::comm(pid), of_file->path};
}

std::string describe(const Reader &reader)
{
    constexpr const char *way_out = "use -p PID (without -F) for the processes that you mean";
    if (reader.is_instrumenter)
        return fmt::format(
            "{} ({}) runs the code of {} in its own way, and probes in that file would end what it "
            "runs: {}",
            reader.name, reader.pid, reader.path, way_out);
    return fmt::format(
        "{} ({}) reads the code of {}, and would take the probes in that file for a part of it: "
        "{}, "
        "or wait for its end",
        reader.name, reader.pid, reader.path, way_out);
}

}  // namespace

std::vector<Reader> readers_of(const FileOffsets &places, const std::vector<pid_t> &pids)
{
    std::vector<Places> files = places_by_file(places);
    std::vector<Reader> readers;
    for (pid_t pid : pids) {
        auto mappings = proc::read_maps(pid);
        if (!mappings || pid == getpid())
            continue;
        for (const Places &file : files) {
            if (auto reader = reader_in(pid, file, *mappings)) {
                readers.push_back(std::move(*reader));
                break;
            }
        }
    }
    return readers;
}

std::optional<Reader> find_reader(const FileOffsets &places)
{
    if (places.empty())
        return std::nullopt;
    std::vector<Reader> readers = readers_of(places, proc::all_pids());
    for (int look = 1; look < looks && !readers.empty(); look++) {
        usleep(between_looks_ms * 1000);
        std::vector<pid_t> pids;
        for (const Reader &reader : readers)
            pids.push_back(reader.pid);
        readers = readers_of(places, pids);
    }
    return readers.empty() ? std::nullopt : std::optional(std::move(readers.front()));
}

Result<> check_readers(const FileOffsets &places)
{
    auto reader = find_reader(places);
    return reader ? fail("{}", describe(*reader)) : Result<>();
}

Result<> check_target(pid_t pid, const std::vector<proc::Mapping> &mappings)
{
    auto by = proc::instrumenter(proc::executable_path(pid), mappings);
    return by ? fail(
                    "process {} runs programs in its own way ({}), and probes would end what it "
                    "runs",
                    pid, *by)
              : Result<>();
}

}  // namespace uscope::probe
