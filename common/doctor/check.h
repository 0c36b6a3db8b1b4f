// A line of `uscope doctor` about the machine: a feature of the kernel, a privilege or a setting.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace uscope::doctor {

enum class Status : uint8_t {
    Ok,
    Info,     // a setting, which is neither good nor bad
    Unknown,  // cannot be tried without the privileges
    Absent,   // the tools use something else, or some of them work less well
    Missing,  // no tool works without it
};

struct Check {
    std::string name;
    Status status = Status::Ok;
    std::string detail = {};  // facts; for Absent and Missing also what to do
};

// "ok", "info", "unknown", "absent" or "missing"
const char *status_name(Status status);

}  // namespace uscope::doctor
