// Probes of a language's table (lang/language.h) as those of a command line.
#pragma once

#include "lang/runtime.h"
#include "probe/parsed.h"

namespace uscope::runtimes {

// The row's probe, with the values that it has of `roles`, in their order. value_texts are their
// names: "class", "method". The delivery is the caller's.
Result<probe::Parsed> parse_row(const lang::Runtime &runtime, const lang::Row &row,
                                const std::vector<lang::Role> &roles);

// Where the semaphore is held up as long as it is attached; its program does nothing.
Result<probe::Parsed> parse_semaphore_hold(const lang::Runtime &runtime,
                                           const lang::SemaphoreHold &hold);

}  // namespace uscope::runtimes
