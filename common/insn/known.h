// Does the kernel's decoder know an instruction? A uprobe on it needs that.
#pragma once

#include "insn/parts.h"

namespace uscope::insn {

bool is_known_to_kernel(const Parts &parts);

}  // namespace uscope::insn
