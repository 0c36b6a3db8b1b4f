// Searches /proc/PID/maps for executable mappings of a deleted file with this path.
#include "proc/replaced.h"

#include "base/fd.h"
#include "base/format.h"
#include "base/text.h"
#include "proc/maps.h"
#include "proc/process.h"

namespace uscope::proc {
namespace {

// Returns the mount namespace of a process: in another one, `path` is another file.
std::optional<FileId> mounts_of(const std::string &process)
{
    return file_id(process + "/ns/mnt");
}

// Has the process an executable mapping of a deleted file with this path? Such a line of `maps` is
// "7f00-7f01 r-xp 00000000 08:01 1234   /usr/bin/octi (deleted)". A process that only reads the
// file has no executable mapping of it.
bool has_former_code(std::string_view maps, const std::string &path)
{
    std::string end = " " + path + " (deleted)";
    for (std::string_view line : split(maps, '\n')) {
        size_t space = line.find(' ');
        if (line.ends_with(end) && space != line.npos && line.substr(space, 4).ends_with('x'))
            return true;
    }
    return false;
}

}  // namespace

std::vector<pid_t> running_former(const std::string &path, const std::string &proc)
{
    auto ours = mounts_of(proc + "/self");
    std::vector<pid_t> found;
    for (pid_t pid : all_pids(proc)) {
        std::string process = fmt::format("{}/{}", proc, pid);
        if (mounts_of(process) != ours)
            continue;
        auto maps = read_file(process + "/maps");
        if (maps && has_former_code(*maps, path))
            found.push_back(pid);
    }
    return found;
}

}  // namespace uscope::proc
