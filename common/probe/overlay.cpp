// Finds processes that run the original of a file while the probes are in an overlay file system's
// copy of it.
#include "probe/overlay.h"

#include <algorithm>

#include <unistd.h>

#include "base/fd.h"
#include "base/format.h"
#include "base/text.h"
#include "probe/code_in_memory.h"
#include "probe/program.h"
#include "probe/set.h"

namespace uscope::probe {
namespace {

// Is the file's code unchanged in the process's memory, but without a breakpoint at any of the
// first 16 sites?
bool lacks_breakpoints(const CodeInMemory &code, const resolve::FileSites &file, bool is_at_exits)
{
    constexpr size_t max_sites = 16;
    size_t looked_at = 0;
    for (const resolve::Site &site : file.sites) {
        uint64_t offset =
            is_at_exits && !site.return_offsets.empty() ? site.return_offsets[0] : site.file_offset;
        if (code.at(offset) != CodeInMemory::State::AsInFile)
            continue;
        if (code.has_breakpoint(offset).value_or(true))
            return false;
        if (++looked_at == max_sites)
            break;
    }
    return looked_at > 0;
}

}  // namespace

std::vector<OtherFile> find_not_in_memory(const ProbeSet &probes, const std::vector<pid_t> &pids)
{
    std::vector<OtherFile> found;
    for (pid_t pid : pids) {
        auto code = CodeInMemory::open(pid);
        if (!code)
            continue;
        for (const auto &program : probes.programs()) {
            for (const resolve::FileSites &file : program->group.files) {
                const std::string &path = file.file.path;
                bool is_known = std::any_of(found.begin(), found.end(),
                                            [&](const auto &other) { return other.path == path; });
                if (program->group.is_kernel || !file.image || is_known)
                    continue;
                code->choose(file.file.open_path, *file.image);
                if (!lacks_breakpoints(*code, file, program->group.is_at_exits()))
                    continue;
                auto mountinfo = read_file(fmt::format("/proc/{}/mountinfo", pid));
                found.push_back({path, pid,
                                 lower_file(mountinfo.value_or(""), code->mapping()->path,
                                            {"", fmt::format("/proc/{}/root", pid)})});
            }
        }
    }
    return found;
}

// An example of a line in mountinfo, where /merged is the mount point, and /a and /b are the lower
// layers:
// "98 97 0:36 / /merged rw,relatime - overlay overlay rw,lowerdir=/a:/b,upperdir=/c,workdir=/d"
std::string lower_file(std::string_view mountinfo, const std::string &path,
                       const std::vector<std::string> &roots)
{
    std::string_view best, layers;
    for (std::string_view line : split(mountinfo, '\n')) {
        constexpr std::string_view overlay = " - overlay ", option = "lowerdir=";
        constexpr size_t mount_point = 4;
        size_t type = line.find(overlay), lower = line.find(option);
        auto words = split(line, ' ');
        if (type == line.npos || lower == line.npos || words.size() <= mount_point)
            continue;
        std::string_view point = words[mount_point] == "/" ? "" : words[mount_point];
        if (!path.starts_with(std::string(point) + "/") || point.size() < best.size())
            continue;
        best = point;
        layers = line.substr(lower + option.size());
        layers = layers.substr(0, layers.find_first_of(", "));
    }
    for (std::string_view layer : split(layers, ':')) {
        for (const std::string &root : roots) {
            std::string file = root + std::string(layer) + path.substr(best.size());
            if (layer.starts_with('/') && access(file.c_str(), F_OK) == 0)
                return file;
        }
    }
    return "";
}

}  // namespace uscope::probe
