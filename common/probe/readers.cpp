// Examines the mappings of processes for readers of a file's code.
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

// The probed offsets of one file.
struct ProbedFile {
    const std::string &path;
    uint32_t inode;
    const std::set<uint64_t> &offsets;
};

std::vector<ProbedFile> probed_files(const FileOffsets &all)
{
    std::vector<ProbedFile> files;
    for (const auto &[path, offsets] : all) {
        if (auto id = proc::file_id(path))
            files.push_back({path, uint32_t(id->inode), offsets});
    }
    return files;
}

// Would the kernel write one of the breakpoints into this mapping, and could the process read it?
bool has_breakpoint(const proc::Mapping &mapping, const ProbedFile &file)
{
    if (!mapping.is_file() || !mapping.readable || mapping.writable || mapping.shared ||
        uint32_t(mapping.file.inode) != file.inode)
        return false;
    auto first = file.offsets.lower_bound(mapping.offset);
    return first != file.offsets.end() && *first - mapping.offset < mapping.end - mapping.start &&
           proc::is_same_file(file.path, mapping.file);
}

// Returns the process as a reader of the file if it is one. A process with an executable mapping of
// the code runs it natively, even if another mapping of the code is only readable: musl's dynamic
// linker maps more than it needs. qemu-user has executable mappings of its own libraries, and only
// readable mappings of the code that it translates.
std::optional<Reader> reader_in(pid_t pid, const ProbedFile &file,
                                const std::vector<proc::Mapping> &mappings)
{
    const proc::Mapping *probed = nullptr;
    bool is_executed = false, is_read = false;
    for (const proc::Mapping &mapping : mappings) {
        if (!has_breakpoint(mapping, file))
            continue;
        probed = &mapping;
        is_executed |= mapping.executable;
        is_read |= !mapping.executable;
    }
    if (!probed)
        return std::nullopt;
    auto by = proc::instrumenter(proc::executable_path(pid), mappings);
    if (by && (is_read || *by != "qemu-user"))
        return Reader{pid, std::string(*by), probed->path, true};
    if (is_executed)
        return std::nullopt;
    return Reader{pid, proc::comm(pid), probed->path};
}

std::string describe(const Reader &reader)
{
    constexpr const char *advice = "select processes with -p PID (without -F)";
    if (reader.is_instrumenter)
        return fmt::format(
            "{} ({}) emulates, records or instruments the code of {}, and probes in that file "
            "would "
            "kill the program that it runs: {}",
            reader.name, reader.pid, reader.path, advice);
    return fmt::format(
        "{} ({}) reads the code of {} as data, and would read the probes in that file as part of "
        "it: {}, or wait until it ends",
        reader.name, reader.pid, reader.path, advice);
}

}  // namespace

std::vector<Reader> readers_of(const FileOffsets &offsets, const std::vector<pid_t> &pids)
{
    std::vector<ProbedFile> files = probed_files(offsets);
    std::vector<Reader> readers;
    for (pid_t pid : pids) {
        auto mappings = proc::read_maps(pid);
        if (!mappings || pid == getpid())
            continue;
        for (const ProbedFile &file : files) {
            if (auto reader = reader_in(pid, file, *mappings)) {
                readers.push_back(std::move(*reader));
                break;
            }
        }
    }
    return readers;
}

std::optional<Reader> find_reader(const FileOffsets &offsets)
{
    if (offsets.empty())
        return std::nullopt;
    std::vector<Reader> readers = readers_of(offsets, proc::all_pids());
    for (int look = 1; look < looks && !readers.empty(); look++) {
        usleep(between_looks_ms * 1000);
        std::vector<pid_t> pids;
        for (const Reader &reader : readers)
            pids.push_back(reader.pid);
        readers = readers_of(offsets, pids);
    }
    return readers.empty() ? std::nullopt : std::optional(std::move(readers.front()));
}

Result<> check_readers(const FileOffsets &offsets)
{
    auto reader = find_reader(offsets);
    return reader ? fail("{}", describe(*reader)) : Result<>();
}

Result<> check_target(pid_t pid, const std::vector<proc::Mapping> &mappings)
{
    auto by = proc::instrumenter(proc::executable_path(pid), mappings);
    return by ? fail(
                    "process {} emulates, records or instruments programs ({}), and probes would "
                    "kill the program that it runs",
                    pid, *by)
              : Result<>();
}

}  // namespace uscope::probe
