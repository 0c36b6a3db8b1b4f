// Reads what a process has mapped, and finds ways to open these files whatever happened to their
// paths since.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace uscope::proc {

struct FileId {  // identity of a file; a path is not one
    uint64_t device = 0, inode = 0;
    auto operator<=>(const FileId &) const = default;
};
std::optional<FileId> file_id(const std::string &path);  // follows links

// The first of the processes that execute the same file; without those that are gone.
std::vector<pid_t> one_for_each_executable(const std::vector<pid_t> &pids,
                                           const std::string &proc = "/proc");

// Is `path` the regular file that maps shows as `id`? Not the same as file_id() == id, because on
// overlay and btrfs, stat and maps show different device numbers (see maps.cpp).
bool is_same_file(const std::string &path, const FileId &id);

// The kernel appends this to the path of a mapped file that has no name any more.
inline constexpr std::string_view deleted_suffix = " (deleted)";

struct Mapping {
    uint64_t start = 0, end = 0, offset = 0;  // addresses in the process; file offset of `start`
    bool readable = false, writable = false, executable = false;
    bool shared = false;
    FileId file = {};       // inode 0: anonymous
    std::string path = {};  // as maps shows it, without " (deleted)"; "[heap]", "" …
    bool deleted = false;
    bool is_file() const { return file.inode != 0; }
};

// The mappings of a maps file; malformed lines are skipped.
std::vector<Mapping> parse_maps(std::string_view text);

// The mappings in /proc/PID/maps; none for a zombie or a kernel thread. Errors: no such process, or
// no permission (with the missing capability).
Result<std::vector<Mapping>> read_maps(pid_t pid, const std::string &proc = "/proc");

// A path by which this process and the kernel can open the mapped file now. Each of these is used
// only if it leads to the same file:
//  1. PATH, if the process has our root: it stays valid when the process exits;
//  2. PID's map_files entry (needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE): works for deleted
//     files, memfds, other mount namespaces and chroots;
//  3. without those capabilities: PID's root/PATH, PATH, PID's exe, or one of PID's open files.
// nullopt if none works.
std::optional<std::string> open_path(pid_t pid, const Mapping &mapping,
                                     const std::string &proc = "/proc");

// A file that a process maps, once.
struct MappedObject {
    FileId file;
    std::string path;       // as maps shows it, for messages
    std::string open_path;  // for us
    bool deleted;
    std::vector<Mapping> mappings;
    // The address in the process of the file's byte at `file_offset`, by the first mapping that
    // contains it; nullopt if it is not mapped. `writable`: only writable mappings, for variables,
    // because a page at the border of two segments is mapped twice.
    std::optional<uint64_t> address_of(uint64_t file_offset, bool writable = false) const;
};
// Every mapped regular file, including deleted ones and memfds, in the order of their first
// addresses. Leaves out devices and files that cannot be opened. Errors: those of read_maps(), and
// zombies and kernel threads, which map nothing.
Result<std::vector<MappedObject>> mapped_objects(pid_t pid, const std::string &proc = "/proc");
// The same for the mappings that read_maps() returned.
Result<std::vector<MappedObject>> mapped_objects(pid_t pid, std::vector<Mapping> mappings,
                                                 const std::string &proc = "/proc");

}  // namespace uscope::proc
