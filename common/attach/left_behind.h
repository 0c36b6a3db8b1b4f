// Removes probes that killed tools left in other programs (attach/record.h).
#pragma once

#include <functional>
#include <string>

namespace uscope::attach {

// Looks for records of killed tools, which takes 10 us if there are none. Calls `note` with a
// sentence about what was removed. Keeps records of probes that this process is not allowed to
// remove.
void remove_left_behind(const std::function<void(const std::string &)> &note);

}  // namespace uscope::attach
