// Each function here resolves one kind of probe; resolve() chooses between them.
#pragma once

#include "resolve/resolve.h"

namespace uscope::resolve {

// Functions and addresses of programs and libraries.
Result<std::vector<Group>> resolve_functions(const spec::Probe &probe,
                                             const std::vector<pid_t> &pids,
                                             const OpenedFile *opened, const ReturnPolicy &returns);
Result<std::vector<Group>> resolve_usdt(const spec::Probe &probe, const std::vector<pid_t> &pids);
Result<std::vector<Group>> resolve_kernel(const spec::Probe &probe);
Result<std::vector<Group>> resolve_tracepoint(const spec::Probe &probe);

}  // namespace uscope::resolve
