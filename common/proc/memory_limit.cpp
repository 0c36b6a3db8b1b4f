#include "proc/memory_limit.h"

#include <algorithm>

#include "base/fd.h"
#include "base/format.h"
#include "base/text.h"

namespace uscope::proc {
namespace {

// The file's number; "max" is none.
std::optional<uint64_t> number_in(const std::string &path)
{
    auto text = read_file(path);
    if (!text)
        return std::nullopt;
    return parse_number(std::string_view(*text).substr(0, text->find('\n')));
}

// "/system.slice/redis.service" of the line "0::/system.slice/redis.service".
std::string cgroup_of(pid_t pid, const std::string &proc)
{
    auto lines = read_file(fmt::format("{}/{}/cgroup", proc, pid));
    for (std::string_view line : split(lines ? std::string_view(*lines) : "", '\n')) {
        if (line.starts_with("0::/"))
            return std::string(line.substr(3));
    }
    return "";
}

}  // namespace

std::optional<uint64_t> memory_left(pid_t pid, const std::string &proc, const std::string &cgroups)
{
    std::optional<uint64_t> least;
    for (std::string group = cgroup_of(pid, proc); group.size() > 1;
         group.resize(group.rfind('/'))) {
        auto most = number_in(cgroups + group + "/memory.max");
        auto used = number_in(cgroups + group + "/memory.current");
        if (most && used)
            least = std::min(least.value_or(UINT64_MAX), *most - std::min(*most, *used));
    }
    return least;
}

}  // namespace uscope::proc
