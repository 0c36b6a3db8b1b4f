// Attached programs: they stay attached while these exist (attach/attach.h).
#pragma once

#include <vector>

namespace uscope::attach {

struct Link;
using Links = std::vector<Link>;

}  // namespace uscope::attach
