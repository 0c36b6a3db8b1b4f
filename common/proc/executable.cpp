// Reads the link /proc/PID/exe.
#include "proc/executable.h"

#include <unistd.h>

#include "base/fd.h"
#include "base/format.h"
#include "proc/process.h"

namespace uscope::proc {

std::string executable_path(pid_t pid, const std::string &proc)
{
    constexpr std::string_view deleted = " (deleted)";
    std::string path = link_target(fmt::format("{}/{}/exe", proc, pid)).value_or("");
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
