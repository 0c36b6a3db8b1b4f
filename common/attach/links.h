// The links between programs and sites: a program stays attached while its link exists
// (attach/attach.h).
#pragma once

#include <vector>

namespace uscope::attach {

struct Link;
using Links = std::vector<Link>;

}  // namespace uscope::attach
