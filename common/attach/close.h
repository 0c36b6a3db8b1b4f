// Detaching many probes.
//
// The kernel lets no probe go before a grace period has passed in which no CPU can still be running
// its program: some 50 ms that close() waits, and 131 links one after another, those of a JVM's USDT
// probes, take 6.5 s. Who closes at the same time waits for the same grace period: 0.1 s for all of
// them.
#pragma once

#include <functional>

#include "attach/links.h"

namespace uscope::attach {

// Closes all links at the same time, as far as threads can be started. When a second has passed,
// `on_slow` is called once with the number of links that are still open.
void close_links(Links links, const std::function<void(size_t)> &on_slow = {});

// The same, but does not wait: for links of processes that have ended, while others are traced.
void close_later(Links links);
void finish_closing();  // waits for all of these

}  // namespace uscope::attach
