// Detaches many probes.
//
// The kernel releases a probe only after a grace period, when no CPU can still be running its
// program. close() waits about 50 ms for that, so closing 131 links (the USDT probes of a JVM) one
// after another takes 6.5 s. Links that are closed at the same time share one grace period, so
// closing all of them takes 0.1 s.
#pragma once

#include <functional>

#include "attach/links.h"

namespace uscope::attach {

// Closes all links at the same time, each in a thread if enough threads can be started, and waits
// until they are closed. If that takes more than a second, calls `on_slow` once with the number of
// links that are still open.
void close_links(Links links, const std::function<void(size_t)> &on_slow = {});

// Closes the links without waiting, for links of processes that have exited while the tool still
// traces other processes.
void close_later(Links links);
void finish_closing();  // waits for the links of all calls of close_later()

}  // namespace uscope::attach
