#include "proc/replaced.h"

#include "base/fd.h"
#include "base/format.h"
#include "proc/maps.h"
#include "proc/process.h"

namespace uscope::proc {
namespace {

// Another container has other files at the same paths.
std::optional<FileId> mounts_of(const std::string &process)
{
    return file_id(process + "/ns/mnt");
}

}  // namespace

std::vector<pid_t> running_former(const std::string &path, const std::string &proc)
{
    std::string end_of_line = " " + path + " (deleted)\n";
    auto ours = mounts_of(proc + "/self");
    std::vector<pid_t> found;
    for (pid_t pid : all_pids(proc)) {
        std::string process = fmt::format("{}/{}", proc, pid);
        if (mounts_of(process) != ours)
            continue;
        auto maps = read_file(process + "/maps");
        if (maps && maps->find(end_of_line) != maps->npos)
            found.push_back(pid);
    }
    return found;
}

}  // namespace uscope::proc
