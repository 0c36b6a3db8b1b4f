// Counts TLS connections whose contents the tool cannot see, because the program's TLS library has
// no symbols, such as those inside bun, deno or the JVM.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include <sys/types.h>

#include "base/bytes.h"
#include "bpf/http/http.h"

namespace uscope::http {

class UnseenTls {
  public:
    // `why`: returns why the TLS of a running process may be unseen. `has_untraced`: whether the
    // process also has a TLS library without names that is not traced.
    UnseenTls(std::function<std::string(pid_t)> why, std::function<bool(pid_t)> has_untraced)
        : why_(std::move(why)), has_untraced_(std::move(has_untraced))
    {
    }

    // Call for each event. Learns which processes use TLS and whether the contents of their
    // connections are seen, and counts connections that ended unseen.
    void add(const http_transfer &event);
    // Adds a connection that is still open at the end (an entry of http_connections).
    void add(const http_connection &connection);
    // The process's contents are no longer seen, for a reason that `why` now returns.
    void withdraw(pid_t pid);
    struct Connections {  // that are unseen
        std::string comm, reason;
        auto operator<=>(const Connections &) const = default;
    };
    std::map<Connections, uint64_t> counts() const;

  private:
    struct Process {
        std::string comm, reason;
        bool is_seen = false;  // contents were seen
        bool has_traced_library = false;
        bool is_withdrawn = false;
        uint64_t connections = 0;
    };
    Process *find(uint32_t tgid);

    static constexpr size_t max_processes = 16384;
    bool is_reported(pid_t pid, const Process &process) const;

    std::function<std::string(pid_t)> why_;
    std::function<bool(pid_t)> has_untraced_;
    std::map<uint32_t, Process> processes_;
};

// Has the process mapped a TLS library that is probed? Decided by the names of its mapped files.
bool has_tls_library(pid_t pid);

}  // namespace uscope::http
