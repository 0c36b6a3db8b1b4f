// Reads which cgroups a process is in.
#pragma once

#include <string_view>
#include <vector>

namespace uscope::proc {

// A line of /proc/PID/cgroup: "0::/system.slice" in version 2, "5:cpu,memory:/docker/…" and
// "1:name=systemd:/system.slice" in version 1.
struct Cgroup {
    std::string_view controllers;  // "cpu,memory", "name=systemd"; "" in version 2
    std::string_view path;         // begins with a slash; may contain colons
    bool is_version_2;
};

// The result refers to `lines`. Skips lines of another form.
std::vector<Cgroup> parse_cgroups(std::string_view lines);

}  // namespace uscope::proc
