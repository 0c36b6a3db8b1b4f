// Reads a process's age, processor time and state from /proc/PID/stat.
#include "proc/start_up.h"

#include <ctime>

#include <unistd.h>

#include "base/fd.h"
#include "base/format.h"
#include "base/text.h"

namespace uscope::proc {
namespace {

constexpr uint64_t long_cpu_ms = 500;

// Indexes of fields in a stat file (proc(5)), counted from the state, which follows the name in
// parentheses.
enum Field : size_t { State = 0, UserTicks = 11, SystemTicks = 12, StartTicks = 19 };

uint64_t now_ms()
{
    timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return uint64_t(now.tv_sec) * 1000 + uint64_t(now.tv_nsec) / 1'000'000;
}

}  // namespace

Progress progress_of(pid_t pid, const std::string &proc)
{
    auto text = read_file(fmt::format("{}/{}/stat", proc, pid));
    size_t name_end = text ? text->rfind(") ") : std::string::npos;
    if (name_end == std::string::npos)
        return {};
    auto fields = split(std::string_view(*text).substr(name_end + 2), ' ');
    if (fields.size() <= StartTicks)
        return {};
    auto milliseconds = [&](Field field) {
        return parse_number(fields[field]).value_or(0) * 1000 / uint64_t(sysconf(_SC_CLK_TCK));
    };
    Progress progress;
    uint64_t start_ms = milliseconds(StartTicks), now = now_ms();
    progress.age_ms = now > start_ms ? now - start_ms : 0;
    progress.cpu_ms = milliseconds(UserTicks) + milliseconds(SystemTicks);
    progress.waits = fields[State] == "S";
    return progress;
}

bool has_started(const Progress &before, const Progress &now)
{
    return now.cpu_ms >= long_cpu_ms ||
           (before.waits && now.waits && now.cpu_ms == before.cpu_ms && now.age_ms > before.age_ms);
}

// Empty files mean that the answer is unknown: during an exec, the kernel maps the new program
// before it shows the program's arguments and environment.
bool asks_for_huge_pages(pid_t pid, const std::string &proc)
{
    for (const char *file : {"cmdline", "environ"}) {
        auto text = read_file(fmt::format("{}/{}/{}", proc, pid, file));
        if (!text || text->empty())
            return true;
        for (const char *word : {"largepages", "config-file", "huge_code_pages", "liblppreload",
                                 "libhugetlbfs", "HUGETLB_ELFMAP"}) {
            if (text->find(word) != text->npos)
                return true;
        }
    }
    return false;
}

}  // namespace uscope::proc
