// Removes probes that killed tools left in other programs (attach/record.h).
#pragma once

#include <functional>
#include <string>

namespace uscope::attach {

// Looks for records of killed tools, and removes the probes noted in them. Takes 10 us if there are
// no records. Calls `note` with a sentence for each file from which it removed probes or failed to.
// Keeps records of probes that this process is not allowed to remove.
void remove_left_behind(const std::function<void(const std::string &)> &note);

}  // namespace uscope::attach
