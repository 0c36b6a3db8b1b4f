// Does the kernel's decoder know an instruction? If not, the instruction cannot have a uprobe.
#pragma once

#include "insn/parts.h"

namespace uscope::insn {

bool is_known_to_kernel(const Parts &parts);

}  // namespace uscope::insn
