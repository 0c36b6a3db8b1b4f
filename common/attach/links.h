// Programs that are attached: as long as these live (attach/attach.h).
#pragma once

#include <vector>

namespace uscope::attach {

struct Link;
using Links = std::vector<Link>;

}  // namespace uscope::attach
