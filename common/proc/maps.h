// Reads what a process has mapped, and finds paths by which to open these files, even if they have
// been renamed, deleted or replaced since.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace uscope::proc {

// Identifies a file. A path does not, because it may lead to another file later.
struct FileId {
    uint64_t device = 0, inode = 0;
    auto operator<=>(const FileId &) const = default;
};
std::optional<FileId> file_id(const std::string &path);  // follows links

// Returns the first of the processes that execute the same file, for each such file. Omits
// processes that are gone.
std::vector<pid_t> one_for_each_executable(const std::vector<pid_t> &pids,
                                           const std::string &proc = "/proc");

// Does `path` lead to the regular file that /proc/PID/maps shows as `id`? file_id(path) == id would
// not be enough, because on overlay and btrfs, stat and maps show different device numbers (see
// maps.cpp).
bool is_same_file(const std::string &path, const FileId &id);

// The kernel appends this to the path of a mapped file that has no name any more.
inline constexpr std::string_view deleted_suffix = " (deleted)";

struct Mapping {
    // `start`, `end`: addresses in the process. `offset`: which byte of the file is at `start`.
    uint64_t start = 0, end = 0, offset = 0;
    bool readable = false, writable = false, executable = false;
    bool shared = false;
    FileId file = {};       // inode 0: anonymous
    std::string path = {};  // as maps shows it, but without " (deleted)"; also "[heap]", "" …
    bool deleted = false;
    bool is_file() const { return file.inode != 0; }
};

// Parses the content of a maps file. Skips malformed lines.
std::vector<Mapping> parse_maps(std::string_view text);

// Returns the mappings in /proc/PID/maps; none for a zombie or a kernel thread. Errors: no such
// process, or no permission (the error names the missing capability).
Result<std::vector<Mapping>> read_maps(pid_t pid, const std::string &proc = "/proc");

// Returns a path by which this process and the kernel can open the mapped file now. It is the first
// of these that leads to this file (PATH is mapping.path, PID is `pid`):
//  1. PATH, if the process has the same root directory as this process: PATH stays valid when the
//     process exits;
//  2. the file's link in /proc/PID/map_files, which needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE:
//     works for deleted files, memfds, other mount namespaces and chroots;
//  3. without those capabilities: PATH below the process's root directory (the link `root` in
//     /proc/PID), PATH itself, /proc/PID/exe, or one of the files that PID has open (/proc/PID/fd).
// Returns nullopt if none of them does.
std::optional<std::string> open_path(pid_t pid, const Mapping &mapping,
                                     const std::string &proc = "/proc");

// A file that a process maps, with all its mappings in that process.
struct MappedObject {
    FileId file;
    std::string path;       // as maps shows it, for messages
    std::string open_path;  // to open the file, from open_path()
    bool deleted;
    std::vector<Mapping> mappings;
    // Returns the address in the process at which the file's byte at `file_offset` is mapped, in
    // the first mapping that contains it; nullopt if it is not mapped. `writable`: searches only
    // writable mappings. Use it for variables: a page in which one segment ends and the next one
    // begins is mapped twice.
    std::optional<uint64_t> address_of(uint64_t file_offset, bool writable = false) const;
};
// Returns every regular file that the process maps, including deleted files and memfds, in the
// order of their lowest addresses. Omits devices, and files that cannot be opened. Errors: those of
// read_maps(); the process is a zombie or a kernel thread, which map nothing.
Result<std::vector<MappedObject>> mapped_objects(pid_t pid, const std::string &proc = "/proc");
// Like the above, for mappings that read_maps() has already returned.
Result<std::vector<MappedObject>> mapped_objects(pid_t pid, std::vector<Mapping> mappings,
                                                 const std::string &proc = "/proc");

}  // namespace uscope::proc
