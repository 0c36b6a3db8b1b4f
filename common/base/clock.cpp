// Reads the offset of a time namespace from /proc/PID/timens_offsets.
#include "base/clock.h"

#include <unistd.h>
#include <cstdlib>
#include <ctime>

#include "base/fd.h"

namespace uscope {
namespace {

constexpr int64_t second_ns = 1'000'000'000;

}  // namespace

int64_t monotonic_offset_ns(const std::string &process)
{
    // timens_offsets describes the namespace that the process's children will be in, so it is valid
    // for the process itself only if both namespaces are the same. They differ after unshare();
    // before Linux 6.3 also after a later exec.
    auto text = read_file(process + "/timens_offsets");
    if (!text ||
        link_target(process + "/ns/time") != link_target(process + "/ns/time_for_children"))
        return 0;
    constexpr std::string_view clock = "monotonic";
    size_t at = text->find(clock);  // then the seconds and nanoseconds
    if (at == text->npos)
        return 0;
    char *end;
    int64_t seconds = strtoll(text->c_str() + at + clock.size(), &end, 10);
    return seconds * second_ns + strtoll(end, nullptr, 10);
}

uint64_t monotonic_ns()
{
    static const int64_t offset_ns = monotonic_offset_ns("/proc/self");
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return uint64_t(now.tv_sec * second_ns + now.tv_nsec - offset_ns);
}

}  // namespace uscope
