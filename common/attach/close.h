// Detaches many probes.
//
// The kernel releases a probe only after a grace period, when no CPU can still be running its
// program. close() waits some 50 ms for it, so closing 131 links one after another (a JVM's USDT
// probes) takes 6.5 s. Links that are closed at the same time wait for the same grace period: 0.1 s
// for all of them.
#pragma once

#include <functional>

#include "attach/links.h"

namespace uscope::attach {

// Closes all links at the same time, as far as threads can be started. After one second, calls
// `on_slow` once with the number of links that are still open.
void close_links(Links links, const std::function<void(size_t)> &on_slow = {});

// The same, but does not wait. For links of processes that have exited while others are traced.
void close_later(Links links);
void finish_closing();  // waits until all of these are closed

}  // namespace uscope::attach
