// Removes what killed tools have left in other programs (attach/record.h).
#pragma once

#include <functional>
#include <string>

namespace uscope::attach {

// Looks for records of killed tools, which takes 10 us where there are none. `note` gets a
// sentence about what was removed. What this process may not remove stays recorded.
void remove_left_behind(const std::function<void(const std::string &)> &note);

}  // namespace uscope::attach
