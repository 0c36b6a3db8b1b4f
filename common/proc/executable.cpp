// Reads the link /proc/PID/exe.
#include "proc/executable.h"

#include <climits>

#include <unistd.h>

#include "base/format.h"
#include "proc/process.h"

namespace uscope::proc {

std::string executable_path(pid_t pid, const std::string &proc)
{
    constexpr std::string_view deleted = " (deleted)";
    char target[PATH_MAX];
    ssize_t length = readlink(fmt::format("{}/{}/exe", proc, pid).c_str(), target, sizeof(target));
    std::string path(target, length > 0 ? length : 0);
    if (path.ends_with(deleted))
        path.resize(path.size() - deleted.size());
    return path;
}

Result<std::string> executable_of(pid_t pid)
{
    std::string path = executable_path(pid);
    if (path.empty() && is_kernel_thread(pid))
        return fail("process {} is a kernel thread: it executes no program", pid);
    if (path.empty())
        return fail("cannot read which program process {} executes: {}", pid, needs_ptrace());
    return path;
}

}  // namespace uscope::proc
