// Reads the limit and the used memory from the files of memory cgroups, of version 1 or 2.
#include "proc/memory_limit.h"

#include <algorithm>

#include "base/fd.h"
#include "base/format.h"
#include "base/text.h"
#include "proc/cgroups.h"

namespace uscope::proc {
namespace {

// Returns the number in a file; nullopt if the file contains "max", which means no limit.
std::optional<uint64_t> number_in(const std::string &path)
{
    auto text = read_file(path);
    if (!text)
        return std::nullopt;
    return parse_number(std::string_view(*text).substr(0, text->find('\n')));
}

// The cgroup that limits a process's memory, and the names of the files in it.
struct Group {
    std::string root;  // where the hierarchy is mounted
    std::string path;  // below `root`: "/system.slice/redis.service"; empty: the root itself
    const char *limit, *used;
    // The key of a line in memory.stat: the bytes of file pages that were not used lately,
    // including those of child cgroups.
    const char *reclaimable;
};

std::optional<Group> group_of(pid_t pid, const std::string &proc, const std::string &cgroups)
{
    std::optional<Group> group;
    auto lines = read_file(fmt::format("{}/{}/cgroup", proc, pid));
    for (const Cgroup &cgroup : parse_cgroups(lines ? std::string_view(*lines) : "")) {
        std::string path(cgroup.path == "/" ? "" : cgroup.path);
        auto controllers = split(cgroup.controllers, ',');
        if (std::find(controllers.begin(), controllers.end(), "memory") != controllers.end())
            return Group{cgroups + "/memory", path, "memory.limit_in_bytes",
                         "memory.usage_in_bytes", "total_inactive_file "};
        if (cgroup.is_version_2)
            group = {cgroups, path, "memory.max", "memory.current", "inactive_file "};
    }
    return group;
}

uint64_t reclaimable_bytes(const Group &group, const std::string &folder)
{
    auto text = read_file(folder + "/memory.stat");
    for (std::string_view line : split(text ? std::string_view(*text) : "", '\n')) {
        if (line.starts_with(group.reclaimable))
            return parse_number(line.substr(line.find(' ') + 1)).value_or(0);
    }
    return 0;
}

std::optional<uint64_t> left_in(const Group &group)
{
    constexpr uint64_t no_limit = 1ull << 62;  // version 1 shows a huge number of bytes instead
    std::string folder = group.root + group.path;
    auto limit = number_in(folder + "/" + group.limit);
    auto used = number_in(folder + "/" + group.used);
    if (!limit || !used || *limit >= no_limit)
        return std::nullopt;
    uint64_t kept = *used - std::min(*used, reclaimable_bytes(group, folder));
    return *limit - std::min(*limit, kept);
}

}  // namespace

std::optional<uint64_t> memory_left(pid_t pid, const std::string &proc, const std::string &cgroups)
{
    std::optional<uint64_t> least;
    auto group = group_of(pid, proc, cgroups);
    while (group) {
        if (auto left = left_in(*group))
            least = std::min(least.value_or(UINT64_MAX), *left);
        if (group->path.empty())
            break;
        group->path.resize(group->path.rfind('/'));
    }
    return least;
}

}  // namespace uscope::proc
