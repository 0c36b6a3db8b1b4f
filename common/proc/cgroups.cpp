// Splits the lines of /proc/PID/cgroup.
#include "proc/cgroups.h"

#include "base/text.h"

namespace uscope::proc {

std::vector<Cgroup> parse_cgroups(std::string_view lines)
{
    std::vector<Cgroup> cgroups;
    for (std::string_view line : split(lines, '\n')) {
        size_t path_at = line.find(":/");
        auto fields = split(line.substr(0, path_at), ':');
        if (path_at != line.npos && fields.size() == 2)
            cgroups.push_back({fields[1], line.substr(path_at + 1), fields[0] == "0"});
    }
    return cgroups;
}

}  // namespace uscope::proc
