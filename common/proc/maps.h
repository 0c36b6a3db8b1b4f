// What a process has mapped, and how to open it whatever has happened to the path since.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace uscope::proc {

struct FileId {  // identity of a file: never its path
    uint64_t device = 0, inode = 0;
    auto operator<=>(const FileId &) const = default;
};
std::optional<FileId> file_id(const std::string &path);  // follows links

// Of processes that execute the same file, the first; without those that are gone.
std::vector<pid_t> one_for_each_executable(const std::vector<pid_t> &pids,
                                           const std::string &proc = "/proc");

// Is what `path` leads to the regular file that maps shows as `id`? Not quite file_id() == id:
// overlay and btrfs show another device number to stat than in maps (see maps.cpp).
bool is_same_file(const std::string &path, const FileId &id);

// What the kernel writes behind the path of a mapped file that has no name any more.
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

// The lines of a maps file; what is not such a line is left out.
std::vector<Mapping> parse_maps(std::string_view text);

// The lines of /proc/PID/maps; none for a zombie or a kernel thread. Errors: no such process (said
// so), no permission (which capability).
Result<std::vector<Mapping>> read_maps(pid_t pid, const std::string &proc = "/proc");

// A path through which this process can open the mapped file now, and which the kernel takes too;
// each is used only when it leads to the same file:
//  1. PATH, when the process has our root: it stays good when the process ends;
//  2. PID's map_files entry (needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE): deleted files, memfds,
//     other mount namespaces, chroots alike;
//  3. without those capabilities: PID's root/PATH, PATH, PID's exe, one of PID's open files.
// Nothing when the file cannot be reached.
std::optional<std::string> open_path(pid_t pid, const Mapping &mapping,
                                     const std::string &proc = "/proc");

// A file that a process maps, once.
struct MappedObject {
    FileId file;
    std::string path;       // as maps shows it, for people
    std::string open_path;  // for us
    bool deleted;
    std::vector<Mapping> mappings;
    // The address in the process of what the file has at `offset`, if it is mapped: the first
    // mapping that holds it (of the writable ones only, for a variable: a page at the border of two
    // segments is mapped twice).
    std::optional<uint64_t> address_of(uint64_t file_offset, bool writable = false) const;
};
// Every mapped regular file, also deleted and memfd ones, in the order of first address. Devices
// and what cannot be opened are left out. Errors: as read_maps(), and what can map nothing: a
// zombie, a kernel thread.
Result<std::vector<MappedObject>> mapped_objects(pid_t pid, const std::string &proc = "/proc");
// The same of what read_maps() has returned.
Result<std::vector<MappedObject>> mapped_objects(pid_t pid, std::vector<Mapping> mappings,
                                                 const std::string &proc = "/proc");

}  // namespace uscope::proc
